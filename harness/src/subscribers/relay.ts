import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A relayed request, and the subscriber's answer. */
export interface Relayed {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly status: number
  readonly answer: string
}

/** Sits between the service and a subscriber, and keeps requests so that a test can repeat modified ones. */
export class Relay {
  readonly #server: http.Server
  readonly #target: string
  readonly #relayed: Relayed[] = []

  private constructor(target: string) {
    this.#target = target
    this.#server = http.createServer((request, response) => {
      this.#pass(request).then(
        ({ status, answer }) => response.writeHead(status).end(answer),
        (error: unknown) => response.writeHead(502).end(String(error)),
      )
    })
  }

  /** @param target origin of the subscriber */
  static async start(target: string): Promise<Relay> {
    const relay = new Relay(target)
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  get relayed(): readonly Relayed[] {
    return this.#relayed
  }

  /** Sends the subscriber a request that did not come from the service. */
  send(request: Pick<Relayed, 'path' | 'headers' | 'body'>): Promise<Pick<Relayed, 'status' | 'answer'>> {
    return post(`${this.#target}${request.path}`, request)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #pass(incoming: IncomingMessage): Promise<Relayed> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    )
    const request = { path: incoming.url ?? '/', headers, body: Buffer.concat(chunks) }
    const relayed = { ...request, ...(await this.send(request)) }
    this.#relayed.push(relayed)
    return relayed
  }
}

/** Headers of the connection, not of the request. */
const OF_THE_CONNECTION = new Set(['connection', 'host', 'content-length', 'transfer-encoding'])

function post(
  url: string,
  { headers, body }: Pick<Relayed, 'headers' | 'body'>,
): Promise<Pick<Relayed, 'status' | 'answer'>> {
  const passed = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name))
  return new Promise((resolve, reject) => {
    const request = http.request(url, {
      method: 'POST',
      agent: false,
      headers: { ...Object.fromEntries(passed), 'content-length': body.length },
    })
    request.once('error', reject)
    request.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, answer: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    request.end(body)
  })
}
