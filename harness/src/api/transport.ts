import http from 'node:http'

/** A request as sent over the wire. */
export interface WireRequest {
  readonly method: string
  /** With the query string. */
  readonly path: string
  /** Names may repeat. `host` and `content-length` are added where they are missing. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array | null
}

export interface Answer {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream'

/** A stream without an event in this time has none for now; the answer is what arrived so far. */
const QUIET_MS = 3_000

const hasEvent = (body: Buffer) => /^data: .*\n\n/m.test(body.toString())

/** No answer came: the connection broke, or it took too long. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

export interface TransportOptions {
  /** `http://host:port` */
  readonly origin: string
  readonly connections: number
  /** For the whole exchange; a stream of events is read up to its first event. */
  readonly timeoutMs: number
}

/**
 * Sends requests exactly as written, including invalid headers, over a bounded number of connections. Uses
 * Node's own client, since undici rejects some headers that a server must handle, such as `expect`.
 */
export class Transport {
  readonly #agent: http.Agent
  readonly #hostname: string
  readonly #port: string
  readonly #timeoutMs: number

  constructor({ origin, connections, timeoutMs }: TransportOptions) {
    const { hostname, port } = new URL(origin)
    this.#hostname = hostname
    this.#port = port
    this.#timeoutMs = timeoutMs
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  }

  /** @throws NoAnswerError */
  async send(request: WireRequest): Promise<Answer> {
    try {
      return await this.#exchange(request, this.#agent)
    } catch (error) {
      // A server may close an idle connection at the moment a request is sent over it (RFC 9112 section 9.3.1).
      if (error instanceof ClosedWhileIdle) return this.#exchange(request, false)
      throw error
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #exchange(wire: WireRequest, agent: http.Agent | false): Promise<Answer> {
    const { method, path, body } = wire
    return new Promise((resolve, reject) => {
      const request = http.request({
        hostname: this.#hostname,
        port: this.#port,
        agent,
        method,
        path,
        headers: this.#headersOf(wire),
      })
      const timer = setTimeout(
        () => request.destroy(new NoAnswerError(`no answer within ${this.#timeoutMs} ms`)),
        this.#timeoutMs,
      )
      const fail = (error: Error) => {
        clearTimeout(timer)
        reject(asNoAnswer(error, request))
      }
      request.once('response', (response) => {
        const chunks: Buffer[] = []
        const { statusCode: status = 0 } = response
        const headers = flatHeaders(response.headers)
        const finish = () => {
          clearTimeout(timer)
          clearTimeout(quiet)
          resolve({ status, headers, body: Buffer.concat(chunks) })
        }
        const isStream = headers['content-type'] === EVENT_STREAM
        const cut = () => {
          finish()
          request.destroy()
        }
        const quiet = isStream ? setTimeout(cut, QUIET_MS) : undefined
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          if (isStream && hasEvent(Buffer.concat(chunks))) cut()
        })
        response.once('error', fail)
        response.once('end', finish)
      })
      request.on('error', fail)
      request.end(body ?? undefined)
    })
  }

  #headersOf({ headers, method, body }: WireRequest): string[] {
    const flat = headers.flat()
    const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted)
    if (!has('host')) flat.push('host', `${this.#hostname}:${this.#port}`)
    const takesBody = body !== null || method === 'POST' || method === 'PUT' || method === 'PATCH'
    if (takesBody && !has('content-length') && !has('transfer-encoding')) {
      flat.push('content-length', String(body?.length ?? 0))
    }
    return flat
  }
}

class ClosedWhileIdle extends Error {}

function asNoAnswer(error: Error, request: http.ClientRequest): Error {
  if (error instanceof NoAnswerError) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const wasIdle = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
  return wasIdle
    ? new ClosedWhileIdle()
    : new NoAnswerError(`${code} ${error.message}`.trim(), { cause: error })
}

function flatHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}
