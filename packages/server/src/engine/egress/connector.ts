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
  /** The resolver, also for the proxy's name; called once per connection. Default: DNS, see `createResolver`. */
  readonly lookup?: LookupFunction | undefined
  /** The name servers of the default resolver, each `address` or `address:port`. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined
  /** State of these name servers, if several connectors use them. */
  readonly silence?: Silence | undefined
  /** Default: Node's own roots. */
  readonly trust?: Trust | undefined
  /** Bounds the whole connect: DNS, TCP, the proxy's response and TLS. */
  readonly timeoutMs: number
  /** All connections go through this proxy. */
  readonly proxy?: EgressProxy | undefined
  /**
   * Who resolves the names of receivers when there is a proxy. `proxy`, the default: the proxy, which then has to keep
   * receivers away from internal addresses. `local`: this node, so that the proxy gets only addresses that were checked here.
   */
  readonly proxyResolve?: 'proxy' | 'local' | undefined
  /** Ends every connect under way and rejects new ones. */
  readonly signal?: AbortSignal | undefined
}

/**
 * How long DNS may take, and never more than half of a connect: so a dead name server is distinguished from a dead receiver,
 * and no lookup outlives its connect.
 */
const RESOLVE_TIMEOUT_MS = 5_000

/**
 * How long one address may take before the next one is tried as well. Node's 250 ms is too short for receivers on another
 * continent, whose TCP handshake takes longer. One second is when the first SYN would be sent again (RFC 6298).
 */
const ADDRESS_TIMEOUT_MS = 1_000

/**
 * Connects to a receiver; the callback is called once, asynchronously.
 * @param bareMs only a connection is needed, without TLS, within this many milliseconds
 */
export type Connector = (target: Target, callback: DialCallback, bareMs?: number) => ConnectProgress

const NOWHERE: ConnectProgress = { phase: 'resolve', address: null }

/**
 * Creates the function that connects to receivers. It checks scheme, host and port at every connect, because net.connect does
 * not call `lookup` for an IP literal, and lets a socket connect only to addresses that were checked. All errors are
 * EgressErrors.
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
      for (const attempt of [...underWay]) attempt.fail(shutDown())
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
  // A name that the operator allowed may be in the hosts file, which DNS does not use.
  const proxyLookup = lookup ?? dns.lookup
  return { proxy, proxyLookup, targetLookup: proxyResolve === 'local' ? guarded : null }
}

function refusalOf(target: Target, rules: EgressRules): EgressError | null {
  const refusal = refuseOrigin(target, rules)
  return refusal === null ? null : new EgressError('refused_target', 'refused_target', refusal.reason)
}

/** @returns the attempt, which ends when it is destroyed */
function dialTo(dial: Dial, target: Target, callback: DialCallback, tunnel?: Socket): Socket {
  // From the URL and not from a Host header, without the trailing dot (RFC 6066 section 3). None for an IP literal.
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
