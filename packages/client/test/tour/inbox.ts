import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface Received {
  readonly rawBody: Buffer
  readonly headers: IncomingHttpHeaders
}

export interface Inbox {
  readonly url: string
  /** Status of answers from now on; 204 at first. */
  answerWith(status: number): void
  /** Resolves with the next request that was not taken yet. */
  next(): Promise<Received>
  stop(): Promise<void>
}

/** A receiver of webhooks that keeps requests until they are taken. */
export async function openInbox(): Promise<Inbox> {
  const kept: Received[] = []
  const waiting: ((one: Received) => void)[] = []
  let status = 204
  const server = createServer(async (request, response) => {
    const one = { rawBody: await buffer(request), headers: request.headers }
    response.writeHead(status).end()
    const taker = waiting.shift()
    if (taker === undefined) kept.push(one)
    else taker(one)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    answerWith: (wanted) => {
      status = wanted
    },
    next: () => {
      const one = kept.shift()
      return one === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(one)
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
