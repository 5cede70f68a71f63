import type { IncomingMessage, Server } from 'node:http'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** The second server, at which the administration is served as well; `null`: there is one address for everything. */
    adminServer: Server | null
  }
}

/** Whether a route is one of those that can have an address of their own. @param route as it was added */
export const isAdminRoute = (route: string): boolean =>
  route === '/metrics' || /^\/admin\/v1(\/|$)/.test(route)

/**
 * Knows which requests came in at the address of the administration. The server that took a request decides:
 * nothing that a client or proxy sends can make a request of the public address one of the other.
 */
export class AdminListener {
  /** `null`: there is one address for everything. */
  readonly #requests: WeakSet<IncomingMessage> | null

  constructor(isSeparate: boolean) {
    this.#requests = isSeparate ? new WeakSet() : null
  }

  get isSeparate(): boolean {
    return this.#requests !== null
  }

  /** To be called by the server of the administration, before the request is routed. */
  took(request: IncomingMessage): void {
    this.#requests?.add(request)
  }

  has({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
    return this.#requests?.has(raw) === true
  }

  /** Whether a route does not exist for a request. The route counts that was found, however the path was spelt. */
  hides(request: Pick<FastifyRequest, 'raw'>, route: string): boolean {
    return this.isSeparate && isAdminRoute(route) && !this.has(request)
  }
}

interface Addresses {
  readonly adminListener: AdminListener
  readonly adminUrl: (() => string) | null
  readonly publicUrl: () => string
}

/** Where people reach the address that a request came in at. */
export const urlOf = (
  { adminListener, adminUrl, publicUrl }: Addresses,
  request: Pick<FastifyRequest, 'raw'>,
): string => (adminListener.has(request) ? (adminUrl ?? publicUrl)() : publicUrl())
