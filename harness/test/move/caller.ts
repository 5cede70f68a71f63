/** The service's answer. */
export interface Answer {
  readonly status: number
  // Each reader knows the documented answer.
  readonly json: Readonly<Record<string, unknown>>
}

export interface Asked {
  readonly token: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls a service whose URL may change between calls. */
export class Caller {
  readonly #url: () => string

  constructor(url: () => string) {
    this.#url = url
  }

  async ask(method: string, path: string, { token, body, headers = {} }: Asked): Promise<Answer> {
    const response = await fetch(`${this.#url()}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Answer['json']) }
  }

  /** @throws Error for any status but 2xx */
  async done<T>(method: string, path: string, asked: Asked): Promise<T> {
    const { status, json } = await this.ask(method, path, asked)
    if (status < 200 || status > 299) throw new Error(`${method} ${path} → ${status} ${JSON.stringify(json)}`)
    return json as T
  }

  get<T>(path: string, token: string): Promise<T> {
    return this.done('GET', path, { token })
  }

  post<T>(path: string, token: string, body: unknown = {}, headers = {}): Promise<T> {
    return this.done('POST', path, { token, body, headers })
  }
}
