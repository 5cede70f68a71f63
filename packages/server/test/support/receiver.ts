import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A receiver on loopback that records its requests. */
export interface TestReceiver {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Sets how it answers from now on. */
  answer(how: (response: ServerResponse, request: ReceivedRequest) => void): void
  close(): Promise<void>
}

export async function startReceiver(status = 200): Promise<TestReceiver> {
  const requests: ReceivedRequest[] = []
  let how: (response: ServerResponse, request: ReceivedRequest) => void = (response) => {
    response.statusCode = status
    response.end()
  }
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks) }
      requests.push(request)
      how(response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    answer(next) {
      how = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
