import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the receiver got it. */
export interface Received {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** The body of a 500. */
export const FAILURE_TEXT = 'The receiver is out of order.'

/**
 * A receiver for webhooks: `/ok/…` answers 204, `/fail/…` 500 with a text, `/later/…` 503 with a retry delay
 * of an hour, and `/hold/…` nothing until it is released. Repaired paths answer 204.
 */
export class Receiver {
  readonly #server: http.Server
  readonly #received: Received[] = []
  readonly #repaired = new Set<string>()
  readonly #held = new Map<string, http.ServerResponse[]>()

  private constructor() {
    this.#server = http.createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
      // A killed service closes the connection abruptly; then there is nothing to answer.
      this.#receive(request, response).catch(() => request.socket.destroy())
    })
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  received(path: string): readonly Received[] {
    return this.#received.filter((one) => one.path === path)
  }

  /** From now on a path answers 204. */
  repair(path: string): void {
    this.#repaired.add(path)
  }

  /** Answers 204 to the held requests of a path. */
  release(path: string): void {
    for (const response of this.#held.get(path) ?? []) response.writeHead(204).end()
    this.#held.delete(path)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = request.url ?? ''
    if (path.startsWith('/hold/')) this.#held.set(path, [...(this.#held.get(path) ?? []), response])
    else if (path.startsWith('/ok/') || this.#repaired.has(path)) response.writeHead(204).end()
    else if (path.startsWith('/later/')) response.writeHead(503, { 'retry-after': '3600' }).end()
    else response.writeHead(500).end(FAILURE_TEXT)
    this.#received.push({ path, headers: request.headers, body: Buffer.concat(chunks) })
  }
}
