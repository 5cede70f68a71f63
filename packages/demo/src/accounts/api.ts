/** The service rejected a call of the demo. */
class ApiError extends Error {
  override readonly name = 'ApiError'
}

const TIMEOUT_MS = 10_000

/** Calls the service's HTTP API the way a customer's program would. */
export class Api {
  readonly #baseUrl: string
  readonly #token: string

  /** @param token an API key, or the admin token */
  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl
    this.#token = token
  }

  get<T>(path: string): Promise<T> {
    return this.#call('GET', path)
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.#call('POST', path, body)
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (!response.ok) throw new ApiError(`${method} ${path} failed with ${response.status}: ${text}`)
    return JSON.parse(text) as T
  }
}
