import dns, { type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PUBLIC_ONLY, parseEgressRules } from '../../src/core/targets/index.ts'
import { toEgressError } from '../../src/engine/egress/index.ts'
import { createResolver, type ResolverOptions } from '../../src/engine/egress/resolver.ts'
import { type DnsAnswer, type DnsQuestion, type DnsServer, FLAGS, NO_ANSWERS, serveDns } from './dnsServer.ts'
import { deafResolver, resolverOf } from './loopback.ts'
import { fakeTimers, timerCount } from './timers.ts'

const NAME = 'hooks.acme-receiver.com'
const V4 = '93.184.215.14'
const V6 = '2606:4700::1111'

const opened: DnsServer[] = []
/** Ends open requests of a test. */
let shutDown: AbortController

beforeEach(() => {
  shutDown = new AbortController()
})

afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  shutDown.abort()
  for (const server of opened.splice(0)) await server.close()
})

/** For names that the system resolver must not get. */
const neverAsked: LookupFunction = () => {
  throw new Error('the system was asked')
}

type Zone = (question: DnsQuestion) => DnsAnswer | Promise<DnsAnswer>

async function resolverFor(
  zone: Zone,
  options: Partial<ResolverOptions> = {},
): Promise<{ lookup: LookupFunction; server: DnsServer }> {
  const server = await serveDns(zone)
  opened.push(server)
  const lookup = createResolver({
    rules: PUBLIC_ONLY,
    timeoutMs: 60_000,
    nameServers: [server.address],
    systemLookup: neverAsked,
    signal: shutDown.signal,
    ...options,
  })
  return { lookup, server }
}

/** Gives one answer to A and another to AAAA. */
const saying =
  (a: DnsAnswer, aaaa: DnsAnswer): Zone =>
  ({ type }) =>
    type === 'A' ? a : aaaa

function addressesOf(lookup: LookupFunction, name = NAME): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error) reject(error)
      else resolve((found as LookupAddress[]).map(({ address }) => address))
    })
  })
}

const codeOf = (lookup: LookupFunction, name = NAME): Promise<unknown> =>
  addressesOf(lookup, name).then(
    (found) => found,
    (error: NodeJS.ErrnoException) => error.code,
  )

describe('a public name is resolved through DNS', () => {
  test('both families are queried concurrently, and IPv4 comes first', async () => {
    const both = new Set<string>()
    let release = () => {}
    const isBoth = new Promise<void>((resolve) => {
      release = resolve
    })
    const { lookup } = await resolverFor(async ({ type }) => {
      both.add(type)
      if (both.size === 2) release()
      await isBoth
      return type === 'A' ? [V4, '8.8.8.8'] : [V6]
    })
    const found = await new Promise((resolve) => lookup(NAME, { all: true }, (...all) => resolve(all)))
    expect(found).toEqual([
      null,
      [
        { address: V4, family: 4 },
        { address: '8.8.8.8', family: 4 },
        { address: V6, family: 6 },
      ],
    ])
    const one = await new Promise((resolve) => lookup(NAME, {}, (...all) => resolve(all)))
    expect(one).toEqual([null, V4, 4])
  })

  test.each<[string, DnsAnswer, DnsAnswer, readonly string[]]>([
    ['no AAAA', [V4], [], [V4]],
    ['no A', [], [V6], [V6]],
    ['AAAA that fails', [V4], { flags: FLAGS.servFail }, [V4]],
    ['A that fails', { flags: FLAGS.servFail }, [V6], [V6]],
    ['AAAA said not to exist', [V4], { flags: FLAGS.nxDomain }, [V4]],
    ['AAAA said not to be implemented', [V4], { flags: FLAGS.notImp }, [V4]],
    ['AAAA that is never answered', [V4], 'silence', [V4]],
    ['A that is never answered', 'silence', [V6], [V6]],
    ['an alias', { cname: 'edge.acme-cdn.com', addresses: [V4] }, [], [V4]],
  ])('a good answer of one family is sufficient: %s', async (_, a, aaaa, found) => {
    const { lookup } = await resolverFor(saying(a, aaaa))
    expect(await addressesOf(lookup)).toEqual(found)
  })

  test.each<[string, DnsAnswer, DnsAnswer, string]>([
    ['no such name', { flags: FLAGS.nxDomain }, { flags: FLAGS.nxDomain }, 'ENOTFOUND'],
    ['no address', [], [], 'ENOTFOUND'],
    ['one of each', { flags: FLAGS.nxDomain }, [], 'ENOTFOUND'],
    ['an alias without an address', { cname: 'edge.acme-cdn.com', addresses: [] }, [], 'ENOTFOUND'],
    ['a failure', { flags: FLAGS.servFail }, { flags: FLAGS.servFail }, 'ESERVFAIL'],
    ['a refusal', { flags: FLAGS.refused }, { flags: FLAGS.refused }, 'EREFUSED'],
    ['a failure and no address', [], { flags: FLAGS.servFail }, 'ESERVFAIL'],
  ])('no good answer has a code: %s', async (_, a, aaaa, code) => {
    const { lookup } = await resolverFor(saying(a, aaaa))
    expect(await codeOf(lookup)).toBe(code)
  })

  test.each(NO_ANSWERS)('an invalid answer is dns_failed: %s', async (_, answer) => {
    const { lookup } = await resolverFor(() => answer, { timeoutMs: 300 })
    const error: unknown = await addressesOf(lookup).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect(toEgressError(error, 'resolve')).toMatchObject({ code: 'dns_failed' })
  })

  test('a name that is invalid in DNS fails later, not within the call', async () => {
    const { lookup, server } = await resolverFor(() => [V4])
    const failures = [`${'a'.repeat(64)}.com`, 'a..com'].map((name) => addressesOf(lookup, name))
    for (const each of await Promise.allSettled(failures)) {
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'EBADNAME' } })
    }
    expect(server.questions).toHaveLength(0)
  })

  test('a lost datagram is sent again', async () => {
    let isFirst = true
    const { lookup } = await resolverFor(
      ({ type }) => {
        if (type === 'AAAA') return []
        if (!isFirst) return [V4]
        isFirst = false
        return 'silence'
      },
      { timeoutMs: 2_100 },
    )
    expect(await addressesOf(lookup)).toEqual([V4])
  })
})

describe('a name that hangs', () => {
  const hanging: Zone = ({ name, type }) => {
    if (name.startsWith('hang')) return 'silence'
    return type === 'A' ? [V4] : []
  }

  test('does not delay others, not even two hundred of them', async () => {
    const { lookup, server } = await resolverFor(hanging)
    const settled = vi.fn()
    const names = Array.from({ length: 200 }, (_, i) => `hang${i}.acme-receiver.com`)
    const hung: Promise<unknown>[] = []
    // In tens: the datagrams of all at once would not fit the server's socket buffer.
    for (let i = 0; i < names.length; i += 10) {
      const some = names.slice(i, i + 10)
      hung.push(...some.map((name) => codeOf(lookup, name).finally(settled)))
      await Promise.all(some.map((name) => server.asked(name)))
    }

    const good = Array.from({ length: 50 }, (_, i) => addressesOf(lookup, `good${i}.acme-receiver.com`))
    expect(await Promise.all(good)).toEqual(Array(50).fill([V4]))
    expect(settled).not.toHaveBeenCalled()
    shutDown.abort()
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['ECANCELLED']))
  })

  test('times out, and leaves no timer', async () => {
    const { lookup, server } = await resolverFor(hanging)
    fakeTimers()
    const code = codeOf(lookup, 'hang.acme-receiver.com')
    await server.asked('hang.acme-receiver.com')
    vi.advanceTimersByTime(60_000)
    expect(await code).toBe('ETIMEOUT')
    expect(timerCount()).toBe(0)
  })

  test('is queried again by the next caller', async () => {
    let isDown = true
    const { lookup, server } = await resolverFor(({ type }) => {
      if (isDown) return 'silence'
      return type === 'A' ? [V4] : []
    })
    fakeTimers()
    const code = codeOf(lookup)
    await server.asked(NAME)
    vi.advanceTimersByTime(60_000)
    await code
    isDown = false
    expect(await addressesOf(lookup)).toEqual([V4])
    expect(timerCount()).toBe(0)
  })

  test('is not queried further once the other family has answered', async () => {
    const cancel = vi.spyOn(dns.Resolver.prototype, 'cancel')
    const { lookup } = await resolverFor(saying([V4], 'silence'))
    expect(await addressesOf(lookup)).toEqual([V4])
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('ends with the signal, and nothing is asked after it', async () => {
    const { lookup, server } = await resolverFor(hanging)
    fakeTimers()
    const cancel = vi.spyOn(dns.Resolver.prototype, 'cancel')
    const codes = [codeOf(lookup, 'hang.acme-receiver.com'), codeOf(lookup, 'hang.acme-receiver.com')]
    await server.asked('hang.acme-receiver.com', 'AAAA')
    shutDown.abort()
    expect(await Promise.all(codes)).toEqual(['ECANCELLED', 'ECANCELLED'])
    expect(cancel).toHaveBeenCalledOnce()
    expect(timerCount()).toBe(0)
    expect(await codeOf(lookup)).toBe('ECANCELLED')
    expect(server.questions.map(({ name }) => name)).not.toContain(NAME)
  })
})

describe('a name that many callers request at once', () => {
  test('is queried once, and each caller has its own list', async () => {
    const { lookup, server } = await resolverFor(saying([V4], [V6]))
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          new Promise<LookupAddress[]>((resolve) =>
            lookup(NAME, { all: true }, (_, found) => resolve(found as LookupAddress[])),
          ),
      ),
    )
    answers[0]!.length = 0
    expect(answers[1]).toHaveLength(2)
    expect(server.questions.map(({ type }) => type).toSorted()).toEqual(['A', 'AAAA'])
  })

  test('is queried again by the next caller, whatever its time to live', async () => {
    const answers = [[V4], ['8.8.8.8'], []]
    const { lookup } = await resolverFor(({ type }) => (type === 'A' ? answers.shift()! : []))
    expect(await addressesOf(lookup)).toEqual([V4])
    expect(await addressesOf(lookup)).toEqual(['8.8.8.8'])
    expect(await codeOf(lookup)).toBe('ENOTFOUND')
  })
})

describe('a name that the operator allowed', () => {
  const rules = parseEgressRules({ allow: 'localhost,receiver.internal' })

  test('is resolved by the system, since it may be in the hosts file', async () => {
    const systemLookup = resolverOf(['127.0.0.1'])
    const { lookup, server } = await resolverFor(saying([V4], []), { rules, systemLookup })
    for (const name of ['localhost', 'Receiver.Internal.']) {
      expect(await addressesOf(lookup, name)).toEqual(['127.0.0.1'])
    }
    expect(await addressesOf(lookup, 'a.localhost')).toEqual([V4])
    expect(systemLookup.calls).toEqual(['localhost', 'Receiver.Internal.'])
    expect(server.questions.map(({ name }) => name)).toEqual(['a.localhost', 'a.localhost'])
  })

  test('does not delay public names when the system hangs', async () => {
    const { lookup } = await resolverFor(saying([V4], []), { rules, systemLookup: deafResolver })
    lookup('localhost', { all: true }, () => {})
    expect(await addressesOf(lookup)).toEqual([V4])
  })
})
