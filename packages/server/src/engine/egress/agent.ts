import { createGuardedConnector, type GuardedConnectorOptions } from './connector.ts'
import { shutDown } from './errors.ts'
import { Pool } from './http1/pool.ts'
import { type OutboundRequest, requestText } from './http1/request.ts'
import type { ResponseHandler } from './http1/responseHandler.ts'
import { parseProxyUrl } from './tunnel.ts'

export interface EgressAgentOptions
  extends Pick<GuardedConnectorOptions, 'rules' | 'lookup' | 'nameServers' | 'ca'> {
  readonly connectTimeoutMs: number
  /** A forward proxy, `http://[user:password@]host:port`. */
  readonly proxy?: string | undefined
  readonly maxConnectionsPerOrigin: number
  /** Over all origins; those beyond are closed within a second. Default: 4,096. */
  readonly maxFreeConnections?: number
}

/**
 * The only way out of the engine. Requests go over HTTP/1.1, one at a time on a connection; redirects are handed to
 * the caller as they are and bodies as they came, compressed or not. A request has no deadline here but that of its
 * connect: the caller owns the total, because a timeout between chunks lets a receiver drip for ever.
 */
export interface EgressAgent {
  /** @throws Error for a request that cannot be written; any other failure goes to the handler */
  dispatch(request: OutboundRequest, handler: ResponseHandler): void
  /** Drops every connection, those that are being made among them; resolves when they are closed. */
  destroy(): Promise<void>
}

/** One origin that is sent to. */
interface Destination {
  readonly host: string
  readonly pool: Pool
}

const SWEEP_EVERY_MS = 1_000
/** Each holds a file descriptor that a new connection may need. */
const MAX_FREE_CONNECTIONS = 4_096

/** @throws Error when `ca` or `proxy` cannot be read */
export function createEgressAgent(options: EgressAgentOptions): EgressAgent {
  return new Http1Agent(options)
}

class Http1Agent implements EgressAgent {
  readonly #connect: ReturnType<typeof createGuardedConnector>
  readonly #maxConnections: number
  readonly #maxFree: number
  readonly #end = new AbortController()
  readonly #destinations = new Map<string, Destination>()
  #sweeping: NodeJS.Timeout | null = null

  constructor(options: EgressAgentOptions) {
    const { rules, lookup, nameServers, ca, connectTimeoutMs, proxy, maxConnectionsPerOrigin } = options
    this.#maxConnections = maxConnectionsPerOrigin
    this.#maxFree = options.maxFreeConnections ?? MAX_FREE_CONNECTIONS
    this.#connect = createGuardedConnector({
      rules,
      lookup,
      nameServers,
      ca,
      timeoutMs: connectTimeoutMs,
      proxy: proxy === undefined ? undefined : parseProxyUrl(proxy),
      signal: this.#end.signal,
    })
  }

  dispatch(request: OutboundRequest, handler: ResponseHandler): void {
    const { host, pool } = this.#destinations.get(request.origin) ?? this.#newDestination(request.origin)
    pool.dispatch(requestText(host, request), handler)
    this.#sweeping ??= setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref()
  }

  async destroy(): Promise<void> {
    this.#stopSweeping()
    const pools = [...this.#destinations.values()].map(({ pool }) => pool.destroy(shutDown()))
    // Ends the connects.
    this.#end.abort()
    await Promise.all(pools)
  }

  #newDestination(origin: string): Destination {
    const { protocol, hostname, host, port } = new URL(origin)
    if (protocol !== 'https:' && protocol !== 'http:') throw new Error('only HTTP can be sent')
    const target = { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), host, port }
    const pool = new Pool(
      (onData, callback) => this.#connect({ ...target, onData }, callback),
      this.#maxConnections,
    )
    const destination = { host, pool }
    this.#destinations.set(origin, destination)
    return destination
  }

  #sweep(): void {
    const now = performance.now()
    for (const [origin, { pool }] of this.#destinations) {
      pool.sweep(now)
      if (pool.empty) this.#destinations.delete(origin)
    }
    this.#closeOldest()
    if (this.#destinations.size === 0) this.#stopSweeping()
  }

  #closeOldest(): void {
    const free = [...this.#destinations.values()].flatMap(({ pool }) => pool.free)
    if (free.length <= this.#maxFree) return
    free.sort((one, other) => one.freeSince - other.freeSince)
    for (const connection of free.slice(0, free.length - this.#maxFree)) connection.destroy()
  }

  #stopSweeping(): void {
    if (this.#sweeping !== null) clearInterval(this.#sweeping)
    this.#sweeping = null
  }
}
