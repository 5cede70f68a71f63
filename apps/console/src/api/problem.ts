/** An error in the input, and its location. */
export interface Mistake {
  /** JSON pointer into the body, or the name of a query parameter. */
  readonly pointer: string
  readonly message: string
}

/** The service rejected a request with a problem document (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  readonly code: string
  readonly mistakes: readonly Mistake[]
  readonly requestId: string | null
  /** Seconds to wait before a retry; `null`: not given. */
  readonly retryAfterSeconds: number | null

  constructor(response: Response, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Partial<ProblemDocument>
    super(problem.detail ?? problem.title ?? `The service responded with ${response.status}.`)
    this.status = response.status
    this.code = problem.code ?? 'unexpected_response'
    this.mistakes = problem.errors ?? []
    this.requestId = problem.request_id ?? response.headers.get('x-request-id')
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null
  }

  /** The error in one member of the input; `null`: none. */
  mistakeAt(pointer: string): string | null {
    const found = this.mistakes.find(
      (mistake) => mistake.pointer === pointer || mistake.pointer.startsWith(`${pointer}/`),
    )
    return found?.message ?? null
  }
}

interface ProblemDocument {
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly errors: readonly Mistake[]
  readonly request_id: string
}

/** No response: the service or the network is unavailable. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError'
}

/** Text of any thrown value, for users. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong in this page.'

export const isProblem = (error: unknown, code?: string): error is ProblemError =>
  error instanceof ProblemError && (code === undefined || error.code === code)
