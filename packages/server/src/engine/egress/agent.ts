import type { Fault } from '../../core/cause.ts'
import { createGuardedConnector, type GuardedConnectorOptions } from './connector.ts'
import type { Destination } from './destination.ts'
import type { Target } from './dial.ts'
import { lacksSockets, shutDown, toEgressError } from './errors.ts'
import { IdleConnections } from './http1/idleConnections.ts'
import { Pool } from './http1/pool.ts'
import { type OutboundRequest, requestText } from './http1/request.ts'
import type { ResponseHandler } from './http1/responseHandler.ts'
import { parseProxyUrl } from './tunnel.ts'

export interface EgressAgentOptions
  extends Pick<
    GuardedConnectorOptions,
    'rules' | 'lookup' | 'nameServers' | 'silence' | 'trust' | 'proxyResolve'
  > {
  readonly connectTimeoutMs: number
  /** A forward proxy, `http://[user:password@]host:port`. */
  readonly proxy?: string | undefined
  readonly maxConnectionsPerDestination: number
  /** Shared by all agents of a node. Default: its own. */
  readonly idleConnections?: IdleConnections | undefined
}

/**
 * All requests of the engine go through this. They use HTTP/1.1, one at a time on a connection. Redirects are returned to the
 * caller, and bodies are passed on as they came, compressed or not. Only the connect has a deadline here. The caller bounds the
 * total, since a timeout between chunks would let a receiver send slowly for ever.
 */
export interface EgressAgent {
  /** @throws Error for a request that cannot be written; other failures go to the handler */
  dispatch(request: OutboundRequest, handler: ResponseHandler): void
  /**
   * Opens a connection like those of requests, without TLS, and closes it.
   * @param callback called once, asynchronously
   */
  probe(target: Target, timeoutMs: number, callback: (probed: Probed) => void): void
  /** Drops every connection, including those that are being opened; resolves when they are closed. */
  destroy(): Promise<void>
}

/** The result of a connect without a request. */
export interface Probed {
  /** Why there was no connection; `null`: there was one. */
  readonly fault: Fault | null
  /** Its destination: an address, or the name while no address is known. */
  readonly address: string
}

const SWEEP_EVERY_MS = 1_000

/** @throws Error when `proxy` cannot be read */
export function createEgressAgent(options: EgressAgentOptions): EgressAgent {
  return new Http1Agent(options)
}

class Http1Agent implements EgressAgent {
  readonly #connect: ReturnType<typeof createGuardedConnector>
  readonly #maxConnections: number
  readonly #idle: IdleConnections
  readonly #end = new AbortController()
  /** By key of the destination. */
  readonly #pools = new Map<string, Pool>()
  #sweeping: NodeJS.Timeout | null = null

  constructor(options: EgressAgentOptions) {
    const { rules, lookup, nameServers, silence, trust, connectTimeoutMs, proxy, proxyResolve } = options
    this.#maxConnections = options.maxConnectionsPerDestination
    this.#idle = options.idleConnections ?? new IdleConnections()
    this.#connect = createGuardedConnector({
      rules,
      lookup,
      silence,
      nameServers,
      trust,
      timeoutMs: connectTimeoutMs,
      proxy: proxy === undefined ? undefined : parseProxyUrl(proxy),
      proxyResolve,
      signal: this.#end.signal,
    })
  }

  dispatch(request: OutboundRequest, handler: ResponseHandler): void {
    const { destination } = request
    const text = requestText(request)
    const pool = this.#pools.get(destination.key) ?? this.#newPool(destination)
    pool.dispatch({ text, handler })
    this.#sweeping ??= setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref()
  }

  probe(target: Target, timeoutMs: number, callback: (probed: Probed) => void): void {
    const progress = this.#connect(
      target,
      (error, socket) => {
        socket?.destroy()
        const fault = error === null ? null : toEgressError(error).fault
        callback({ fault, address: progress.address ?? target.hostname })
      },
      timeoutMs,
    )
  }

  async destroy(): Promise<void> {
    this.#stopSweeping()
    const pools = [...this.#pools.values()].map((pool) => pool.destroy(shutDown()))
    // Ends the connects.
    this.#end.abort()
    await Promise.all(pools)
  }

  #newPool({ key, target, workspaceId, origin }: Destination): Pool {
    const pool = new Pool({
      connect: (onData, callback) =>
        this.#connect({ ...target, onData }, (...outcome) => {
          // A new connection takes precedence over an idle one.
          if (outcome[0] !== null && lacksSockets(outcome[0])) this.#idle.closeAll()
          callback(...outcome)
        }),
      maxConnections: this.#maxConnections,
      idle: this.#idle,
      workspaceId,
      origin,
    })
    this.#pools.set(key, pool)
    return pool
  }

  #sweep(): void {
    const now = performance.now()
    for (const [key, pool] of this.#pools) if (pool.sweep(now)) this.#pools.delete(key)
    if (this.#pools.size === 0) this.#stopSweeping()
  }

  #stopSweeping(): void {
    if (this.#sweeping !== null) clearInterval(this.#sweeping)
    this.#sweeping = null
  }
}
