import dns from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { type EgressRules, refuseOrigin } from '../../core/targets/index.ts'
import { ConnectAttempt, type ConnectProgress } from './connectAttempt.ts'
import { createDial, type Dial, type DialCallback, type Target } from './dial.ts'
import { EgressError, shutDown } from './errors.ts'
import { guardLookup } from './lookup.ts'
import { createResolver, type Silence } from './resolver.ts'
import { type ProxyRoute, tunnelTo } from './throughProxy.ts'
import { Trust } from './trust.ts'
import type { EgressProxy } from './tunnel.ts'

export interface GuardedConnectorOptions {
  readonly rules: EgressRules
  /** The resolver, for the proxy's name too; called once for each connection. Default: DNS, see `createResolver`. */
  readonly lookup?: LookupFunction | undefined
  /** The name servers of the default resolver, each `address` or `address:port`. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined
  /** Of those name servers, where several connectors ask them. */
  readonly silence?: Silence | undefined
  /** Default: Node's own roots. */
  readonly trust?: Trust | undefined
  /** Bounds the whole of a connect: DNS, TCP, the proxy's answer and TLS. */
  readonly timeoutMs: number
  /** Everything goes through this proxy. */
  readonly proxy?: EgressProxy | undefined
  /**
   * Who resolves the names of receivers then. `proxy`, the default: the proxy alone keeps them away from inside
   * addresses. `local`: it is asked for addresses that were classified here.
   */
  readonly proxyResolve?: 'proxy' | 'local' | undefined
  /** Ends every connect under way and refuses new ones. */
  readonly signal?: AbortSignal | undefined
}

/**
 * How long DNS may take, and never more than half of a connect: so a dead name server is distinguished from a dead receiver,
 * and no lookup outlives its connect.
 */
const RESOLVE_TIMEOUT_MS = 5_000

/**
 * How long one address may take before the next one is tried as well. Node's 250 ms gives up on receivers on another
 * continent, whose TCP handshake alone takes longer; a second lasts until the first SYN would be sent again (RFC 6298).
 */
const ADDRESS_TIMEOUT_MS = 1_000

/**
 * Connects to a receiver; the callback is called later and once.
 * @param bareMs only a connection is wanted, without TLS, and within so many milliseconds
 */
export type Connector = (target: Target, callback: DialCallback, bareMs?: number) => ConnectProgress

const NOWHERE: ConnectProgress = { phase: 'resolve', address: null }

/**
 * Makes the function that connects to receivers. It asks the rules about scheme, host and port again at every
 * connect, because net.connect does not call `lookup` for an IP literal, and lets a socket go only to addresses that
 * were classified. Whatever goes wrong arrives as an EgressError.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): Connector {
  const { rules, timeoutMs, nameServers, silence, signal, trust = new Trust(undefined) } = options
  const resolveTimeoutMs = Math.min(RESOLVE_TIMEOUT_MS, timeoutMs / 2)
  const lookup =
    options.lookup ?? createResolver({ rules, nameServers, timeoutMs: resolveTimeoutMs, silence, signal })
  const guarded = guardLookup(lookup, rules)
  const route = routeOf(options, guarded)
  const dial = createDial({
    lookup: guarded,
    trust,
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
  return (target, callback, bareMs) => {
    const refusal = signal?.aborted ? shutDown() : refusalOf(target, rules)
    if (refusal !== null) {
      // Called back asynchronously: the caller is not ready before this function has returned.
      queueMicrotask(() => callback(refusal, null))
      return NOWHERE
    }
    const isBare = bareMs !== undefined
    const attempt = new ConnectAttempt(bareMs ?? timeoutMs, (...outcome) => {
      underWay.delete(attempt)
      callback(...outcome)
    })
    underWay.add(attempt)
    attempt.guard(() => {
      const firstPhase = isIP(target.hostname) === 0 ? 'resolve' : 'connect'
      if (route !== null) connectThrough(route, target, dial, attempt, isBare)
      else attempt.follow(dialTo(dial, isBare ? bareOf(target) : target, attempt.settle), firstPhase)
    })
    return attempt
  }
}

function routeOf(
  { proxy, proxyResolve, lookup }: GuardedConnectorOptions,
  guarded: LookupFunction,
): ProxyRoute | null {
  if (proxy === undefined) return null
  // The operator's own name: it may stand in the hosts file, which DNS does not know.
  const proxyLookup = lookup ?? dns.lookup
  return { proxy, proxyLookup, targetLookup: proxyResolve === 'local' ? guarded : null }
}

function refusalOf(target: Target, rules: EgressRules): EgressError | null {
  const refusal = refuseOrigin(target, rules)
  return refusal === null ? null : new EgressError('refused_target', 'refused_target', refusal.reason)
}

/** @returns the try, which ends when it is destroyed */
function dialTo(dial: Dial, target: Target, callback: DialCallback, tunnel?: Socket): Socket {
  // Of the URL and not of a Host header, without the root's dot (RFC 6066 section 3). None for an IP literal.
  const servername = isIP(target.hostname) === 0 ? { servername: target.hostname.replace(/\.$/, '') } : {}
  return dial({ ...target, ...servername }, callback, tunnel)
}

/** The same server and port, without TLS. */
function bareOf({ protocol, port, ...target }: Target): Target {
  return { ...target, protocol: 'http:', port: port || (protocol === 'https:' ? '443' : '80') }
}

function connectThrough(
  route: ProxyRoute,
  target: Target,
  dial: Dial,
  attempt: ConnectAttempt,
  isBare: boolean,
): void {
  tunnelTo(route, target, attempt, (tunnel) => {
    if (isBare || target.protocol !== 'https:') {
      if (target.onData !== undefined) tunnel.on('data', target.onData)
      attempt.settle(null, tunnel)
      return
    }
    attempt.follow(tunnel, 'tls')
    attempt.follow(dialTo(dial, target, attempt.settle, tunnel), 'tls')
  })
}
