import dns from 'node:dns'
import { isIP, type LookupFunction, Socket } from 'node:net'
import { type EgressRules, refuseOrigin } from '../../core/targets/index.ts'
import { createDial, type Dial, type DialCallback, type Target } from './dial.ts'
import { type ConnectPhase, connectTimeout, EgressError, shutDown, toEgressError } from './errors.ts'
import { guardLookup } from './lookup.ts'
import { createResolver } from './resolver.ts'
import { createTrust } from './trust.ts'
import { type EgressProxy, openTunnel } from './tunnel.ts'

export interface GuardedConnectorOptions {
  readonly rules: EgressRules
  /** The resolver, for the proxy's name too; called once for each connection. Default: DNS, see `createResolver`. */
  readonly lookup?: LookupFunction | undefined
  /** The name servers of the default resolver, each `address` or `address:port`. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined
  /** Certificates in PEM that are trusted beside Node's own roots. */
  readonly ca?: string | undefined
  /** Bounds the whole of a connect: DNS, TCP, the proxy's answer and TLS. */
  readonly timeoutMs: number
  /** Everything goes through this proxy, which then resolves the names. */
  readonly proxy?: EgressProxy | undefined
  /** Ends every connect under way and refuses new ones. */
  readonly signal?: AbortSignal | undefined
}

/**
 * How long DNS may take, and never more than half of a connect: name servers that are down are then told apart from a
 * server that is, and no question outlives the connect that asked it.
 */
const RESOLVE_TIMEOUT_MS = 5_000

/**
 * How long one address may take before the next one is tried as well. Node's 250 ms gives up on receivers on another
 * continent, whose TCP handshake alone takes longer; a second lasts until the first SYN would be sent again (RFC 6298).
 */
const ADDRESS_TIMEOUT_MS = 1_000

/** Connects to a receiver; the callback is called later and once. @returns asks how far it has come */
export type Connector = (target: Target, callback: DialCallback) => () => ConnectPhase

/**
 * Makes the function that connects to receivers. It asks the rules about scheme, host and port again at every
 * connect, because net.connect does not call `lookup` for an IP literal, and lets a socket go only to addresses that
 * were classified. Whatever goes wrong arrives as an EgressError.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): Connector {
  const { rules, timeoutMs, proxy, nameServers, signal, ca } = options
  const resolveTimeoutMs = Math.min(RESOLVE_TIMEOUT_MS, timeoutMs / 2)
  const lookup = options.lookup ?? createResolver({ rules, nameServers, timeoutMs: resolveTimeoutMs, signal })
  // The operator's own name: it may stand in the hosts file, which DNS does not know.
  const proxyLookup = options.lookup ?? dns.lookup
  const dial = createDial({
    lookup: guardLookup(lookup, rules),
    secureContext: createTrust(ca),
    addressTimeoutMs: ADDRESS_TIMEOUT_MS,
  })
  const underWay = new Set<ConnectAttempt>()
  // One listener for all: a signal warns of a leak beyond ten.
  signal?.addEventListener(
    'abort',
    () => {
      for (const attempt of [...underWay]) attempt.giveUp(shutDown())
    },
    { once: true },
  )
  return (target, callback) => {
    const refusal = signal?.aborted ? shutDown() : refusalOf(target, rules)
    if (refusal !== null) {
      // Never before this function has returned: whoever asks is not ready for the answer.
      queueMicrotask(() => callback(refusal, null))
      return () => 'resolve'
    }
    const attempt = new ConnectAttempt(timeoutMs, (...outcome) => {
      underWay.delete(attempt)
      callback(...outcome)
    })
    underWay.add(attempt)
    attempt.guard(() => {
      const firstPhase = isIP(target.hostname) === 0 ? 'resolve' : 'connect'
      if (proxy === undefined) attempt.follow(dialTo(dial, target, attempt.settle), firstPhase)
      else connectThrough(proxy, target, proxyLookup, dial, attempt)
    })
    return () => attempt.phase
  }
}

function refusalOf(target: Target, rules: EgressRules): EgressError | null {
  const refusal = refuseOrigin(target, rules)
  return refusal === null ? null : new EgressError('refused_target', refusal.reason)
}

/** @returns the try, which ends when it is destroyed */
function dialTo(dial: Dial, target: Target, callback: DialCallback, tunnel?: Socket): Socket {
  // Of the URL and not of a Host header, without the root's dot (RFC 6066 section 3). None for an IP literal.
  const servername = isIP(target.hostname) === 0 ? { servername: target.hostname.replace(/\.$/, '') } : {}
  return dial({ ...target, ...servername }, callback, tunnel)
}

function connectThrough(
  proxy: EgressProxy,
  target: Target,
  lookup: LookupFunction,
  dial: Dial,
  attempt: ConnectAttempt,
): void {
  const isTls = target.protocol === 'https:'
  const port = target.port || (isTls ? '443' : '80')
  const request = openTunnel(proxy, { hostname: target.hostname, port }, lookup, (error, socket) => {
    if (socket === null) attempt.settle(error ?? toEgressError(null, 'proxy'), null)
    else if (attempt.isSettled) socket.destroy()
    else if (!isTls) attempt.settle(null, readingFor(target, socket))
    else {
      attempt.follow(socket, 'tls')
      attempt.guard(() => attempt.follow(dialTo(dial, target, attempt.settle, socket), 'tls'))
    }
  })
  attempt.follow(request, 'proxy')
}

function readingFor({ onData }: Target, socket: Socket): Socket {
  return onData === undefined ? socket : socket.on('data', onData)
}

/** One connect on its way: its deadline, what to destroy when that passes, and a callback that is called once. */
class ConnectAttempt {
  readonly #callback: DialCallback
  readonly #timer: NodeJS.Timeout
  #isSettled = false
  #phase: ConnectPhase = 'resolve'
  #pending: { destroy(): unknown } | null = null

  constructor(timeoutMs: number, callback: DialCallback) {
    this.#callback = callback
    this.#timer = setTimeout(() => this.giveUp(connectTimeout(this.#phase)), timeoutMs)
  }

  get phase(): ConnectPhase {
    return this.#phase
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  readonly settle: DialCallback = (...[error, socket]) => {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#pending = null
    if (error === null) this.#callback(null, socket)
    else this.#callback(toEgressError(error, this.#phase), null)
  }

  /** Turns what a step throws into the outcome, and ends what the steps before it had opened. */
  guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      queueMicrotask(() => this.giveUp(error instanceof Error ? error : new Error(String(error))))
    }
  }

  /** Makes this what is destroyed at the deadline, and for a socket notes how far it has come. */
  follow(pending: { destroy(): unknown }, phase: ConnectPhase): void {
    this.#pending = pending
    this.#phase = phase
    if (!(pending instanceof Socket) || phase === 'tls') return
    pending.once('lookup', () => {
      this.#phase = 'connect'
    })
    pending.once('connect', () => {
      this.#phase = 'tls'
    })
  }

  /** Ends the connect and whatever it had opened. */
  giveUp(error: Error): void {
    const pending = this.#pending
    this.settle(error, null)
    pending?.destroy()
  }
}
