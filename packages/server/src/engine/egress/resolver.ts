import dns, { type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type EgressRules, isAllowedHost } from '../../core/targets/index.ts'
import { resolverSilent } from './errors.ts'

export interface ResolverOptions {
  readonly rules: EgressRules
  /** Bounds one lookup, however many name servers there are. */
  readonly timeoutMs: number
  /** Name servers, each `address` or `address:port`. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined
  /** Resolves the names that the operator allowed. Default: `dns.lookup`. */
  readonly systemLookup?: LookupFunction | undefined
  /** Shared by all users of the same name servers. Default: its own. */
  readonly silence?: Silence | undefined
  /** Ends every lookup under way and rejects new ones. */
  readonly signal?: AbortSignal | undefined
}

/** Once one family's addresses are there, the other family has this long: name servers that drop AAAA queries are common. */
const SECOND_FAMILY_GRACE_MS = 200

/**
 * c-ares doubles its timeout from round to round (1 + 2 + 4). So a single name server is asked three times within the time of a
 * lookup, and a lost datagram costs a seventh of it. A late response to an earlier query is ignored, but a name server that was
 * waiting for the zone then answers the latest query as well.
 */
const TRIES = 3
const ROUNDS_PER_QUESTION = 7

/** If this many names were unanswered for this long, and none was answered, the fault is not that of their zones. */
const SILENT_NAMES = 3
const SILENT_AFTER_MS = 10_000

type Answer = (error: Error | null, addresses: LookupAddress[]) => void

/**
 * Creates the resolver of the guarded connector. `dns.lookup` is getaddrinfo on libuv's few threads, where a handful of
 * receivers with dead name servers would stall all lookups. Here, public names are resolved through DNS in sockets of the event
 * loop. Only names that the operator allowed may be in the hosts file, which only getaddrinfo reads; if those hang, the
 * operator has to fix them.
 *
 * Lookups of the same name at the same time share one answer, so a name has at most two queries under way. Answers are not
 * cached: an old answer would hide a failover, and would be checked in place of the present one.
 *
 * @returns always both families, whatever `family` and `hints` say, IPv4 first
 */
export function createResolver(options: ResolverOptions): LookupFunction {
  const { rules, systemLookup = dns.lookup, silence = new Silence(), signal } = options
  const questions = new Map<string, Question>()
  signal?.addEventListener(
    'abort',
    () => {
      for (const question of [...questions.values()]) question.end('ECANCELLED')
    },
    { once: true },
  )
  return (hostname, lookupOptions, callback) => {
    const answer: Answer = (error, addresses) => {
      if (lookupOptions.all || error !== null) callback(error, addresses)
      else callback(null, addresses[0]!.address, addresses[0]!.family)
    }
    if (signal?.aborted) queueMicrotask(() => answer(dnsError('ECANCELLED', hostname), []))
    else if (isAllowedHost(hostname, rules)) systemLookup(hostname, lookupOptions, callback)
    else {
      const underWay = questions.get(hostname)
      if (underWay !== undefined) underWay.join(answer)
      else {
        const question = new Question(hostname, options, silence, () => questions.delete(hostname))
        questions.set(hostname, question)
        question.join(answer)
        question.ask()
      }
    }
  }
}

/** Distinguishes name servers that do not answer at all from single zones that are broken. */
export class Silence {
  /** Names without an answer since the last answer. */
  readonly #names = new Set<string>()
  #since = 0

  answered(): void {
    this.#names.clear()
  }

  /** @returns whether no name was answered for long */
  notAnswered(hostname: string): boolean {
    const now = performance.now()
    if (this.#names.size === 0) this.#since = now
    if (this.#names.size < SILENT_NAMES) this.#names.add(hostname)
    return this.#names.size >= SILENT_NAMES && now - this.#since >= SILENT_AFTER_MS
  }
}

/** One lookup: A and AAAA in parallel, until both are answered or the wait is over. */
class Question {
  readonly #hostname: string
  readonly #resolver: dns.Resolver
  readonly #silence: Silence
  readonly #onEnd: () => void
  readonly #answers: Answer[] = []
  readonly #found: LookupAddress[] = []
  readonly #errors: NodeJS.ErrnoException[] = []
  readonly #deadline: NodeJS.Timeout
  #grace: NodeJS.Timeout | undefined
  #familiesLeft = 2
  #isOver = false

  constructor(
    hostname: string,
    { timeoutMs, nameServers }: ResolverOptions,
    silence: Silence,
    onEnd: () => void,
  ) {
    this.#hostname = hostname
    this.#silence = silence
    this.#onEnd = onEnd
    // One resolver per lookup, some 50 µs: it can be canceled separately, has a port of its own, which is harder to spoof, and
    // has no history. A shared one reduces its timeout to the duration of earlier answers (nodejs/node#57839), which fails slow
    // zones behind a fast cache, and in some versions caches answers for an hour (nodejs/node#57636).
    this.#resolver = new dns.Resolver({
      timeout: Math.max(1, Math.ceil(timeoutMs / ROUNDS_PER_QUESTION)),
      tries: TRIES,
    })
    if (nameServers !== undefined) this.#resolver.setServers(nameServers)
    this.#deadline = setTimeout(() => this.end('ETIMEOUT'), timeoutMs)
  }

  join(answer: Answer): void {
    this.#answers.push(answer)
  }

  ask(): void {
    this.#askFamily(4)
    this.#askFamily(6)
  }

  #askFamily(family: 4 | 6): void {
    const take = (error: NodeJS.ErrnoException | null, addresses: readonly string[] = []): void =>
      this.#take(error, addresses, family)
    try {
      if (family === 4) this.#resolver.resolve4(this.#hostname, take)
      else this.#resolver.resolve6(this.#hostname, take)
    } catch (error) {
      // c-ares may reject a name immediately, which Node throws; the caller expects an asynchronous callback.
      queueMicrotask(() => take(error as NodeJS.ErrnoException))
    }
  }

  #take(error: NodeJS.ErrnoException | null, addresses: readonly string[], family: 4 | 6): void {
    if (this.#isOver) return
    this.#familiesLeft -= 1
    if (error !== null) this.#errors.push(error)
    else this.#found.push(...addresses.map((address) => ({ address, family })))
    if (this.#familiesLeft === 0) this.end('ENOTFOUND')
    else if (this.#found.length > 0) {
      this.#grace = setTimeout(() => this.end('ETIMEOUT'), SECOND_FAMILY_GRACE_MS)
    }
  }

  /** Answers with the addresses so far. `reason` is the error if nothing was found and nothing failed. */
  end(reason: 'ENOTFOUND' | 'ETIMEOUT' | 'ECANCELLED'): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#deadline)
    clearTimeout(this.#grace)
    this.#onEnd()
    this.#resolver.cancel()
    // IPv4 first: a broken IPv6 route delays a connect by a second, while a broken IPv4 route is soon noticed and fixed.
    const found = this.#found.toSorted((a, b) => a.family - b.family)
    if (found.length > 0 || this.#errors.some((error) => !isUnanswered(error))) this.#silence.answered()
    const error = found.length > 0 ? null : this.#errorOf(reason)
    // Each caller gets its own array, since it may sort or empty it.
    for (const answer of this.#answers) answer(error, [...found])
  }

  #errorOf(reason: string): Error {
    const error = this.#errors.find(isTrouble) ?? dnsError(reason, this.#hostname)
    return isUnanswered(error) && this.#silence.notAnswered(this.#hostname) ? resolverSilent(error) : error
  }
}

const isUnanswered = ({ code }: NodeJS.ErrnoException): boolean =>
  code !== dns.NODATA && code !== dns.NOTFOUND && code !== dns.BADNAME && code !== dns.CANCELLED

/** Any error other than "no such records", which one family may have while the other has some. */
function isTrouble({ code }: NodeJS.ErrnoException): boolean {
  return code !== dns.NODATA && code !== dns.NOTFOUND
}

function dnsError(code: string, hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`DNS gave no address for ${hostname}: ${code}`), { code })
}
