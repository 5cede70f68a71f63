import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import net, { type AddressInfo, type LookupFunction, type Server, type Socket } from 'node:net'
import type { Connector } from '../../src/engine/egress/connector.ts'
import { Destination, type EgressAgent, type ResponseHead } from '../../src/engine/egress/index.ts'

/** A server on 127.0.0.1 that counts its connections and keeps track of all. */
export interface LoopbackServer {
  readonly port: number
  readonly connections: readonly Socket[]
  /** Resolves once every connection so far is gone. */
  allClosed(): Promise<void>
  close(): Promise<void>
}

const ok: RequestListener = (request, response) => {
  request.resume()
  response.end(`hello from ${request.headers.host}`)
}

export function serveHttp(listener: RequestListener = ok): Promise<LoopbackServer> {
  return listen(createServer(listener))
}

export function serveHttps(options: ServerOptions, listener: RequestListener = ok): Promise<LoopbackServer> {
  return listen(createTlsServer(options, listener))
}

/** Plain TCP: the caller decides what is sent, if anything. */
export function serveTcp(onConnection: (socket: Socket) => void = () => {}): Promise<LoopbackServer> {
  return listen(net.createServer(onConnection))
}

async function listen(server: Server): Promise<LoopbackServer> {
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => {
    connections.push(socket)
    socket.on('error', () => {})
  })
  // Many of the tests are about clients that reject our certificate.
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const allClosed = async (): Promise<void> => {
    // A socket closes completely only when its received data has been read.
    await Promise.all(connections.map((socket) => socket.destroyed || once(socket.resume(), 'close')))
  }
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    allClosed,
    close: async () => {
      for (const socket of connections) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A resolver with the given answers, one for each call; the last one repeats. Counts its calls. */
export function resolverOf(
  ...answers: readonly (readonly string[] | Error)[]
): LookupFunction & { calls: string[] } {
  const calls: string[] = []
  const lookup: LookupFunction = (hostname, options, callback) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)] ?? []
    calls.push(hostname)
    if (options.all !== true) throw new Error('asked for a single address')
    const found: LookupAddress[] = Array.isArray(answer)
      ? answer.map((address: string) => ({ address, family: net.isIP(address) }))
      : []
    setImmediate(() => callback(answer instanceof Error ? answer : null, found))
  }
  return Object.assign(lookup, { calls })
}

/** A resolver that never answers. */
export const deafResolver: LookupFunction = () => {}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** The result of one connect: a socket or an error. */
export function connectTo(connector: Connector, url: string): Promise<Socket> {
  const { protocol, hostname, host, port } = new URL(url)
  const target = { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), host, port }
  return new Promise((resolve, reject) => {
    connector(target, (error, socket) => (socket === null ? reject(error) : resolve(socket)))
  })
}

/** The owner of a request. */
interface Owner {
  readonly webhookId: number
  readonly workspaceId: number
}

export interface Response {
  readonly status: number
  readonly head: ResponseHead
  readonly body: Buffer
}

/** Sends a POST the way the engine does. */
export function post(agent: EgressAgent, url: string, of: Partial<Owner> = {}): Promise<Response> {
  const destination = new Destination({ webhookId: 1, workspaceId: 1, ...of, url })
  return new Promise((resolve, reject) => {
    let head: ResponseHead | null = null
    const chunks: Buffer[] = []
    agent.dispatch(
      { destination, headers: ['content-type', 'application/json'], body: '{}' },
      {
        ended: false,
        onConnecting: () => {},
        onConnect: () => {},
        onHead: (found) => {
          head = found
        },
        onData: (bytes) => {
          chunks.push(Buffer.from(bytes))
        },
        onComplete: () => resolve({ status: head!.statusCode, head: head!, body: Buffer.concat(chunks) }),
        onError: reject,
      },
    )
  })
}
