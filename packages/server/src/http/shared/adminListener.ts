import type { IncomingMessage, Server } from 'node:http'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** The admin listener, which serves everything; `null`: there is only one listener. */
    adminServer: Server | null
  }
}

/** Whether only the admin listener serves a route, if there is one. @param route its pattern */
export const isAdminRoute = (route: string): boolean =>
  route === '/metrics' || /^\/admin\/v1(\/|$)/.test(route)

/**
 * Knows which requests came in at the admin listener. Only the server that accepted a request decides that, so nothing that a
 * client or proxy sends can make a public request look like an admin one.
 */
export class AdminListener {
  /** `null`: there is one listener. */
  readonly #requests: WeakSet<IncomingMessage> | null

  constructor(isSeparate: boolean) {
    this.#requests = isSeparate ? new WeakSet() : null
  }

  get isSeparate(): boolean {
    return this.#requests !== null
  }

  /** The admin listener calls it before it routes a request. */
  took(request: IncomingMessage): void {
    this.#requests?.add(request)
  }

  has({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
    return this.#requests?.has(raw) === true
  }

  /** Whether a route must answer 404. Decided by the matched route, so the spelling of the path does not matter. */
  hides(request: Pick<FastifyRequest, 'raw'>, route: string): boolean {
    return this.isSeparate && isAdminRoute(route) && !this.has(request)
  }
}

interface Addresses {
  readonly adminListener: AdminListener
  readonly adminUrl: (() => string) | null
  readonly publicUrl: () => string
}

/** The URL of the listener at which a request came in. */
export const urlOf = (
  { adminListener, adminUrl, publicUrl }: Addresses,
  request: Pick<FastifyRequest, 'raw'>,
): string => (adminListener.has(request) ? (adminUrl ?? publicUrl)() : publicUrl())
