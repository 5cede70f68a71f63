import { Agent, request } from 'undici'
import { wholeNumber } from '../../support/random.ts'

export interface Call {
  readonly token: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Hangs up after this, whatever the state of the request. */
  readonly hangUpAfterMs?: number | null
}

export interface Answer {
  readonly status: number
  /** Parsed; `null` when there was none. */
  readonly body: unknown
  readonly etag: string | null
}

/** Share of calls that the caller cuts off, as when its network fails. */
const CUT_OFF_SHARE = 0.04
const CUT_OFF_AFTER_MS = { min: 0, max: 20 }

/** For a repeatable call: when to cut it off; `null`: never. */
export const cutOffAfterMs = (random: () => number) =>
  random() < CUT_OFF_SHARE ? wholeNumber(random, CUT_OFF_AFTER_MS.min, CUT_OFF_AFTER_MS.max) : null

export const isOk = ({ status }: Answer) => status >= 200 && status < 300

/** The code of a problem document. */
export const codeOf = ({ body }: Answer) => (body as { readonly code?: string } | null)?.code

/** Sends JSON requests to nodes that may crash, freeze or be disconnected at any moment. */
export class Caller {
  readonly #agent: Agent
  readonly #pickUrl: () => string

  /** @param timeoutMs a node that does not answer within this time is abandoned */
  constructor(pickUrl: () => string, timeoutMs: number) {
    this.#pickUrl = pickUrl
    this.#agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connectTimeout: timeoutMs })
  }

  /** @returns `null` when no answer came: it is unknown whether the node did the operation */
  async ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, call: Call): Promise<Answer | null> {
    const { hangUpAfterMs = null } = call
    try {
      const response = await request(`${this.#pickUrl()}${path}`, {
        dispatcher: this.#agent,
        method,
        signal: hangUpAfterMs === null ? null : AbortSignal.timeout(hangUpAfterMs),
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
