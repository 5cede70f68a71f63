import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { ConnectAttempt } from './connectAttempt.ts'
import type { Target } from './dial.ts'
import { type EgressProxy, openTunnel, openTunnelToAny } from './tunnel.ts'

/** How receivers are reached through the forward proxy. */
export interface ProxyRoute {
  readonly proxy: EgressProxy
  /** Resolves the proxy's own name, which the operator chose, so it is not guarded. */
  readonly proxyLookup: LookupFunction
  /** Resolves the names of receivers to allowed addresses; `null`: the proxy gets the names. */
  readonly targetLookup: LookupFunction | null
}

/** @param onTunnel gets the plain connection to the target */
export function tunnelTo(
  { proxy, proxyLookup, targetLookup }: ProxyRoute,
  target: Target,
  attempt: ConnectAttempt,
  onTunnel: (socket: Socket) => void,
): void {
  const { protocol, hostname } = target
  const port = target.port || (protocol === 'https:' ? '443' : '80')
  const open = (hosts: readonly string[]) => {
    const tunnels = openTunnelToAny(
      hosts,
      (host, callback) => openTunnel(proxy, { hostname: host, port }, proxyLookup, callback),
      (error, socket) => {
        if (error !== null) attempt.settle(error, null)
        else if (attempt.isSettled) socket.destroy()
        else attempt.guard(() => onTunnel(socket))
      },
    )
    attempt.follow(tunnels, 'proxy')
  }
  if (targetLookup === null || isIP(hostname) !== 0) {
    open([hostname])
    return
  }
  targetLookup(hostname, { all: true }, (error, found) => {
    if (attempt.isSettled) return
    if (error !== null) attempt.settle(error, null)
    else attempt.guard(() => open(addressesOf(found)))
  })
}

function addressesOf(found: Parameters<Parameters<LookupFunction>[2]>[1]): string[] {
  return typeof found === 'string' ? [found] : found.map(({ address }) => address)
}
