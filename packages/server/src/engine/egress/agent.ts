import { Agent, type Dispatcher } from 'undici'
import { createGuardedConnector, type GuardedConnectorOptions } from './connector.ts'
import { acceptContinue } from './interim.ts'
import { parseProxyUrl } from './tunnel.ts'

export interface EgressAgentOptions
  extends Pick<GuardedConnectorOptions, 'rules' | 'lookup' | 'nameServers' | 'ca'> {
  readonly connectTimeoutMs: number
  /** A forward proxy, `http://[user:password@]host:port`. */
  readonly proxy?: string | undefined
  readonly maxConnectionsPerOrigin: number
}

/** A response head beyond this is a protocol error. */
const MAX_RESPONSE_HEADER_BYTES = 16_384

/** An idle connection is kept this long, and up to the second figure if the receiver asks for it. */
const KEEP_ALIVE_MS = 4_000
const KEEP_ALIVE_MAX_MS = 30_000

/**
 * The only way out of the engine. Requests go over HTTP/1.1, one at a time on a connection; redirects are handed to
 * the caller as they are and bodies as they came, compressed or not. A request has no deadline here but that of its
 * connect: the caller owns the total, because a timeout between chunks lets a receiver drip for ever.
 *
 * @throws Error when `ca` or `proxy` cannot be read
 */
export function createEgressAgent(options: EgressAgentOptions): Dispatcher {
  const { rules, lookup, nameServers, ca, connectTimeoutMs, proxy, maxConnectionsPerOrigin } = options
  const shutDown = new AbortController()
  const connect = createGuardedConnector({
    rules,
    lookup,
    nameServers,
    ca,
    timeoutMs: connectTimeoutMs,
    proxy: proxy === undefined ? undefined : parseProxyUrl(proxy),
    signal: shutDown.signal,
  })
  return new EgressAgent(shutDown, {
    connect: acceptContinue(connect),
    connections: maxConnectionsPerOrigin,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
  })
}

/** undici's destroy() leaves a connect under way to its timeout, and with it a timer and a socket that keep Node up. */
class EgressAgent extends Agent {
  readonly #shutDown: AbortController

  constructor(shutDown: AbortController, options: Agent.Options) {
    super(options)
    this.#shutDown = shutDown
  }

  override destroy(): Promise<void>
  override destroy(error: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(...args: unknown[]): Promise<void> | undefined {
    // First undici, so that requests fail because of the shutdown and not because of a connect that failed.
    const destroyed: unknown = Reflect.apply(super.destroy, this, args)
    this.#shutDown.abort()
    return destroyed as Promise<void> | undefined
  }
}
