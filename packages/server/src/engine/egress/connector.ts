import dns from 'node:dns'
import { isIP, type LookupFunction, Socket } from 'node:net'
import { buildConnector } from 'undici'
import { type EgressRules, refuseOrigin } from '../../core/targets/index.ts'
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

/**
 * Makes the function that connects to receivers. It asks the rules about scheme, host and port again at every
 * connect, because net.connect does not call `lookup` for an IP literal, and lets a socket go only to addresses that
 * were classified. Whatever goes wrong arrives as an EgressError.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { rules, timeoutMs, proxy, nameServers, signal } = options
  const resolveTimeoutMs = Math.min(RESOLVE_TIMEOUT_MS, timeoutMs / 2)
  const lookup = options.lookup ?? createResolver({ rules, nameServers, timeoutMs: resolveTimeoutMs, signal })
  // The operator's own name: it may stand in the hosts file, which DNS does not know.
  const proxyLookup = options.lookup ?? dns.lookup
  const connectSocket = socketConnector(options, guardLookup(lookup, rules))
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
      return
    }
    const attempt = new ConnectAttempt(timeoutMs, (...outcome) => {
      underWay.delete(attempt)
      callback(...outcome)
    })
    underWay.add(attempt)
    attempt.guard(() => {
      const firstPhase = isIP(target.hostname) === 0 ? 'resolve' : 'connect'
      if (proxy === undefined) attempt.follow(connectSocket(target, attempt.settle), firstPhase)
      else connectThrough(proxy, target, proxyLookup, connectSocket, attempt)
    })
  }
}

function refusalOf(target: buildConnector.Options, rules: EgressRules): EgressError | null {
  const refusal = refuseOrigin(target, rules)
  return refusal === null ? null : new EgressError('refused_target', refusal.reason)
}

type ConnectSocket = (target: buildConnector.Options, callback: buildConnector.Callback) => Socket

/** undici's connector, for its cache of TLS sessions per host and its keep-alive settings. */
function socketConnector({ ca }: GuardedConnectorOptions, lookup: LookupFunction): ConnectSocket {
  const connect = buildConnector({
    lookup,
    // The guard reads a list of addresses; a process-wide switch must not turn that into one address at a time.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    secureContext: createTrust(ca),
    // NODE_TLS_REJECT_UNAUTHORIZED=0 must not reach us.
    rejectUnauthorized: true,
    allowH2: false,
    // undici's timers tick twice a second at best, and its timeout does not say how far the connect had come.
    timeout: 0,
  })
  return ({ servername: _, ...target }, callback) => {
    // Of the URL and not of a Host header, without the root's dot (RFC 6066 section 3). None for an IP literal.
    const servername = isIP(target.hostname) === 0 ? { servername: target.hostname.replace(/\.$/, '') } : {}
    // The types leave out that the socket is returned; without it an overdue connect could not be ended.
    const socket: unknown = connect({ ...target, ...servername }, callback)
    if (!(socket instanceof Socket)) throw new Error('undici no longer returns the socket of a connect')
    return socket
  }
}

function connectThrough(
  proxy: EgressProxy,
  target: buildConnector.Options,
  lookup: LookupFunction,
  connectSocket: ConnectSocket,
  attempt: ConnectAttempt,
): void {
  const isTls = target.protocol === 'https:'
  const port = target.port || (isTls ? '443' : '80')
  const request = openTunnel(proxy, { hostname: target.hostname, port }, lookup, (error, socket) => {
    if (socket === null) attempt.settle(error ?? toEgressError(null, 'proxy'), null)
    else if (attempt.isSettled) socket.destroy()
    else if (!isTls) attempt.settle(null, socket)
    else {
      attempt.guard(() =>
        attempt.follow(connectSocket({ ...target, httpSocket: socket }, attempt.settle), 'tls'),
      )
    }
  })
  attempt.follow(request, 'proxy')
}

/** One connect on its way: its deadline, what to destroy when that passes, and a callback that is called once. */
class ConnectAttempt {
  readonly #callback: buildConnector.Callback
  readonly #timer: NodeJS.Timeout
  #isSettled = false
  #phase: ConnectPhase = 'resolve'
  #pending: { destroy(): unknown } | null = null

  constructor(timeoutMs: number, callback: buildConnector.Callback) {
    this.#callback = callback
    this.#timer = setTimeout(() => this.giveUp(connectTimeout(this.#phase)), timeoutMs)
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  readonly settle: buildConnector.Callback = (...[error, socket]) => {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#pending = null
    // Against its types, undici leaves the socket undefined beside an error.
    if (error === null) this.#callback(null, socket)
    else this.#callback(toEgressError(error, this.#phase), null)
  }

  /** Turns what a step throws into the outcome. */
  guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      queueMicrotask(() => this.settle(error instanceof Error ? error : new Error(String(error)), null))
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
  giveUp(error: EgressError): void {
    const pending = this.#pending
    this.settle(error, null)
    pending?.destroy()
  }
}
