import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificates } from './certificate.ts'
import type { Delivered, Verifier } from './verifiers.ts'

/** What a receiver does with a request that it has verified; `silence` never answers. */
type Answer = { readonly status: number; readonly retryAfterSeconds?: number } | 'silence'

/** @param nth counts the verified requests of one delivery from 1 */
export type Behavior = (nth: number) => Answer

/** A request as its receiver saw it. */
export interface ReceivedRequest extends Delivered {
  /** The value that identifies repeats; `null` when the header is missing. */
  readonly repeatKey: string | null
  readonly verified: boolean
  /** The parsed body; `undefined` when it is not JSON. */
  readonly json: unknown
  /** The status of its answer; `null`: it never answered. */
  readonly status: number | null
}

/** An HTTPS server that plays a customer's endpoint and remembers every request. */
export class Receiver {
  readonly requests: ReceivedRequest[] = []
  readonly #verifier: Verifier
  readonly #server: Server
  /** Verified requests so far, by the value that identifies repeats. */
  readonly #counts = new Map<string | null, number>()
  #behavior: Behavior
  #secret: string | null = null

  constructor(params: {
    readonly verifier: Verifier
    readonly certificates: Certificates
    readonly behavior: Behavior
  }) {
    const { cert, key } = params.certificates
    this.#verifier = params.verifier
    this.#behavior = params.behavior
    this.#server = createServer({ cert, key }, (request, response) => {
      // A request that is cut off before its end is not a delivery.
      this.#receive(request, response).catch(() => response.destroy())
    })
  }

  /** @returns where it listens */
  async start(path: string): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${path}`
  }

  /** Known once the endpoint is registered; until then nothing verifies. */
  useSecret(secret: string): void {
    this.#secret = secret
  }

  behave(behavior: Behavior): void {
    this.#behavior = behavior
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    // Requests that are never answered would keep it open.
    this.#server.closeAllConnections()
    await closed
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const delivered = { headers: singleHeaders(request.headers), body: Buffer.concat(chunks) }
    const repeatKey = delivered.headers[this.#verifier.repeatHeader] ?? null
    const verified = this.#secret !== null && (await this.#verifier.verify(this.#secret, delivered))
    const answer: Answer = verified ? this.#behavior(this.#count(repeatKey)) : { status: 401 }
    const status = answer === 'silence' ? null : answer.status
    // Before the answer: the service's log must never have a request that is missing here.
    this.requests.push({ ...delivered, repeatKey, verified, json: parse(delivered.body), status })
    if (answer === 'silence') return
    const { retryAfterSeconds } = answer
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
    response.writeHead(answer.status).end()
  }

  #count(repeatKey: string | null): number {
    const count = (this.#counts.get(repeatKey) ?? 0) + 1
    this.#counts.set(repeatKey, count)
    return count
  }
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') single[name] = value
  return single
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
