import { Agent, request } from 'undici'

export interface Call {
  readonly token: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  /** Parsed; `null` when there was none. */
  readonly body: unknown
  readonly etag: string | null
}

export const isOk = ({ status }: Answer) => status >= 200 && status < 300

/** The code of a problem document. */
export const codeOf = ({ body }: Answer) => (body as { readonly code?: string } | null)?.code

/** Talks JSON to nodes that may die, freeze or be cut off at any moment. */
export class Caller {
  readonly #agent: Agent
  readonly #pickUrl: () => string

  /** @param timeoutMs a node that says nothing for so long is given up */
  constructor(pickUrl: () => string, timeoutMs: number) {
    this.#pickUrl = pickUrl
    this.#agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connectTimeout: timeoutMs })
  }

  /** @returns `null` when no answer came: nobody knows whether the node did what was asked */
  async ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, call: Call): Promise<Answer | null> {
    try {
      const response = await request(`${this.#pickUrl()}${path}`, {
        dispatcher: this.#agent,
        method,
        headers: {
          authorization: `Bearer ${call.token}`,
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
        body: call.body === undefined ? null : JSON.stringify(call.body),
      })
      const text = await response.body.text()
      const { etag } = response.headers
      return {
        status: response.statusCode,
        body: text === '' ? null : (JSON.parse(text) as unknown),
        etag: typeof etag === 'string' ? etag : null,
      }
    } catch {
      return null
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}
