import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request that the receiver got. Times are Unix ms. */
export interface Arrival {
  readonly eventId: string
  readonly path: string
  /** Of the sender. */
  readonly from: string
  readonly at: number
}

interface ReceiverOptions {
  /** Listen address. */
  readonly host?: string
  /** Response time. */
  readonly delayMs?: number
}

/** Accepts every event, in this process, and records when each arrived. */
export class Receiver {
  readonly arrivals: Arrival[] = []
  delayMs: number
  readonly #server: Server
  readonly #host: string

  private constructor(host: string, delayMs: number) {
    this.#host = host
    this.delayMs = delayMs
    this.#server = createServer(async (request, response) => {
      this.arrivals.push({
        eventId: String(request.headers['webhook-id']),
        path: request.url ?? '',
        from: request.socket.remoteAddress ?? '',
        at: Date.now(),
      })
      request.resume()
      await sleep(this.delayMs)
      response.writeHead(204).end()
    })
  }

  static async start({ host = '127.0.0.1', delayMs = 0 }: ReceiverOptions = {}): Promise<Receiver> {
    const receiver = new Receiver(host, delayMs)
    receiver.#server.listen(0, host)
    await once(receiver.#server, 'listening')
    return receiver
  }

  url(path = '/'): string {
    return `http://${this.#host}:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** How often each event arrived. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { eventId } of this.arrivals) counts.set(eventId, (counts.get(eventId) ?? 0) + 1)
    return counts
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
