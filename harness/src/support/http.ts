const REQUEST_TIMEOUT_MS = 15_000

/** The service answered with an error. */
class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number

  constructor(method: string, path: string, status: number, body: string) {
    super(`${method} ${path} → ${status} ${body}`)
    this.status = status
  }
}

export interface ApiRequest {
  readonly token: string
  readonly body?: unknown
}

/**
 * Sends JSON requests to the service. Its base URL may change between calls after a restart.
 * @throws ApiError for any status but 2xx; the error of `fetch` when no answer came
 */
export class Api {
  readonly #baseUrl: () => string

  constructor(baseUrl: () => string) {
    this.#baseUrl = baseUrl
  }

  get<T>(path: string, request: ApiRequest): Promise<T> {
    return this.#call('GET', path, request)
  }

  post<T>(path: string, request: ApiRequest): Promise<T> {
    return this.#call('POST', path, request)
  }

  put<T>(path: string, request: ApiRequest): Promise<T> {
    return this.#call('PUT', path, request)
  }

  patch<T>(path: string, request: ApiRequest): Promise<T> {
    return this.#call('PATCH', path, request)
  }

  /** For routes that answer 204, such as deletions. */
  async delete(path: string, { token }: Pick<ApiRequest, 'token'>): Promise<void> {
    await this.#send('DELETE', path, { token })
  }

  async #call<T>(method: string, path: string, request: ApiRequest): Promise<T> {
    // The caller names the type of this route's documented answer.
    return JSON.parse(await this.#send(method, path, request)) as T
  }

  async #send(method: string, path: string, { token, body }: ApiRequest): Promise<string> {
    const response = await fetch(`${this.#baseUrl()}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new ApiError(method, path, response.status, text)
    return text
  }
}

/**
 * Reads a stream of events for a while, then aborts it.
 * @returns number of bytes received
 * @throws ApiError for any status but 2xx, TypeError when the stream breaks
 */
export async function readStreamFor(
  url: string,
  { token, forMs }: { readonly token: string; readonly forMs: number },
): Promise<number> {
  const abort = AbortSignal.timeout(forMs)
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: abort })
  if (!response.ok) throw new ApiError('GET', url, response.status, await response.text())
  let bytes = 0
  try {
    for await (const chunk of response.body!) bytes += (chunk as Uint8Array).byteLength
  } catch (error) {
    if (!abort.aborted) throw error
  }
  return bytes
}
