import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Identity } from '../receivers/certificate.ts'

/** How a path answers; a hanging one says nothing until the sender times out. */
export type Reply =
  | {
      readonly status: number
      readonly body?: string | Buffer
      readonly contentType?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | 'hang'

export interface Received {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A customer's server: each path answers as it was last set, 204 by default. It records all requests. */
export class CustomerReceiver {
  readonly #server: http.Server
  readonly #scheme: 'http' | 'https'
  readonly #replies = new Map<string, Reply>()
  readonly received: Received[] = []

  private constructor(identity: Identity | null) {
    const listener: http.RequestListener = (request, response) => {
      this.#receive(request, response).catch(() => request.socket.destroy())
    }
    this.#scheme = identity === null ? 'http' : 'https'
    this.#server = identity === null ? http.createServer(listener) : https.createServer(identity, listener)
  }

  /** @param identity for TLS; `null`: plain HTTP */
  static async start(identity: Identity | null = null): Promise<CustomerReceiver> {
    const receiver = new CustomerReceiver(identity)
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  urlOf(path: string): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  answer(path: string, reply: Reply): void {
    this.#replies.set(path, reply)
  }

  /** The requests to a path, oldest first. */
  at(path: string): readonly Received[] {
    return this.received.filter((request) => request.path === path)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = request.url ?? ''
    this.received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() })
    const reply = this.#replies.get(path.split('?', 1)[0]!) ?? { status: 204 }
    if (reply === 'hang') return
    const type = reply.contentType === undefined ? {} : { 'content-type': reply.contentType }
    response.writeHead(reply.status, { ...type, ...reply.headers }).end(reply.body ?? '')
  }
}
