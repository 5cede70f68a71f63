import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endWith, type RequestIds } from '../clientErrors.ts'
import { Problem } from '../problems.ts'

/** Requests in progress per connection: a client may send the next before it has the response. */
const MAX_PIPELINED = 16
/** Chunks of one body, */
const MANY_CHUNKS = 1_000
/** if they are smaller than this on average: each costs 2 µs of the event loop. */
const LEAST_CHUNK_BYTES = 64

const TINY_CHUNKS = new Problem(
  'malformed_request',
  `The request body has more than ${MANY_CHUNKS} chunks of less than ${LEAST_CHUNK_BYTES} bytes; send fewer and larger ones.`,
)

export type HostileRequests = 'pipelined' | 'chunks'

/**
 * Closes connections whose requests cost far more time than bytes. Node parses all data of one read of 64 KiB in one turn of
 * the event loop, up to 2,000 requests or 10,000 chunks. Call it once the server has its listener for requests.
 */
export function boundRequests(
  server: Server,
  newRequestId: RequestIds,
  onClosed: (reason: HostileRequests) => void,
): void {
  const underWay = new WeakMap<Socket, number>()
  const closeForChunks = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    onClosed('chunks')
    // The response cannot be sent before those of earlier requests, or has already started.
    if (underWay.get(socket) === 1 && !response.headersSent)
      endWith(socket, TINY_CHUNKS, newRequestId(request), true)
    socket.destroySoon()
  }
  const bound =
    (listener: RequestListener): RequestListener =>
    (request, response) => {
      const { socket } = request
      if (socket.destroyed) return
      const count = (underWay.get(socket) ?? 0) + 1
      if (count > MAX_PIPELINED) {
        onClosed('pipelined')
        socket.destroy()
        return
      }
      underWay.set(socket, count)
      response.once('close', () => underWay.set(socket, underWay.get(socket)! - 1))
      // Node drops what follows such a request on the connection.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
      if (request.headers['transfer-encoding'] !== undefined)
        watchChunks(request, response, () => closeForChunks(request, response))
      listener(request, response)
    }
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  for (const listener of listeners) server.on('request', bound(listener))
}

/** Counts chunks as the parser emits them, whether the body is read or not. */
function watchChunks(request: IncomingMessage, response: ServerResponse, onHostile: () => void): void {
  const push = request.push
  let chunks = 0
  let bytes = 0
  let hostile = false
  request.push = (chunk: Buffer | null) => {
    if (hostile) return false
    chunks += 1
    bytes += chunk?.length ?? 0
    hostile = chunks > MANY_CHUNKS && bytes < chunks * LEAST_CHUNK_BYTES
    if (hostile) {
      onHostile()
      return false
    }
    return push.call(request, chunk)
  }
  // Node brings no more chunks of a request that was answered, unless something has begun to read it.
  response.once('prefinish', () => {
    if (!request.complete) request.resume().read(0)
  })
}
