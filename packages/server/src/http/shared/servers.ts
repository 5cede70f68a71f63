import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer, type ServerOptions as TlsServerOptions } from 'node:https'
import type { FastifyInstance } from 'fastify'
import type { AdminListener } from './adminListener.ts'
import type { Connections } from './bodies/connections.ts'
import { REQUEST_TIMEOUT_MS } from './bodies/limits.ts'
import { answerClientErrors, answerExpectations, answerTunnels, type RequestIds } from './clientErrors.ts'

/** A certificate with its chain, and its private key; both in PEM. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

/** How often timed-out requests are looked for. With Node's default of 30 s, they would end up to 30 s late. */
const TIMEOUTS_CHECKED_EVERY_MS = 1000

const HTTP_OPTIONS: ServerOptions = {
  // A hook checks it, and answers with a problem document.
  requireHostHeader: false,
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
}

/** TLS options with this identity, for a new server or a running one. */
export const secureContextOf = ({ cert, key }: TlsIdentity) =>
  // Node's default, pinned against NODE_OPTIONS=--tls-min-v1.0.
  ({ cert, key, minVersion: 'TLSv1.2' }) as const

const tlsOptionsOf = (identity: TlsIdentity): TlsServerOptions => ({
  ...HTTP_OPTIONS,
  ...secureContextOf(identity),
  // A handshake may take as long as a request.
  handshakeTimeout: REQUEST_TIMEOUT_MS,
})

/** Options of fastify for its own server. @param identity `null`: without TLS */
export const serverOptions = (identity: TlsIdentity | null) =>
  identity === null ? { http: HTTP_OPTIONS } : { https: tlsOptionsOf(identity) }

/** Handles requests that reach no route. Call it before the server listens. */
export function guardServer(server: Server, connections: Connections, newRequestId: RequestIds): void {
  answerExpectations(server, newRequestId)
  answerTunnels(server, newRequestId)
  connections.guard(server, newRequestId)
}

/** The admin listener: a second server for the same routes. It does not listen yet. */
export function createAdminServer(params: {
  readonly app: FastifyInstance
  readonly identity: TlsIdentity | null
  readonly adminListener: AdminListener
  readonly connections: Connections
  readonly newRequestId: RequestIds
}): Server {
  const { app, identity, adminListener, connections, newRequestId } = params
  const route: RequestListener = (request, response) => {
    adminListener.took(request)
    app.routing(request, response)
  }
  const server =
    identity === null ? createServer(HTTP_OPTIONS, route) : createTlsServer(tlsOptionsOf(identity), route)
  const { keepAliveTimeout, requestTimeout, timeout } = app.server
  Object.assign(server, { keepAliveTimeout, requestTimeout, timeout })
  server.on('clientError', answerClientErrors(newRequestId))
  guardServer(server, connections, newRequestId)
  return server
}
