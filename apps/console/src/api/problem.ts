/** A mistake in the input, and where it is. */
export interface Mistake {
  /** JSON pointer into the body, or the name of a query parameter. */
  readonly pointer: string
  readonly message: string
}

/** The service refused, with a problem document (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  readonly code: string
  readonly mistakes: readonly Mistake[]
  readonly requestId: string | null
  /** How long to wait before it is worth trying again; `null`: nothing was said. */
  readonly retryAfterSeconds: number | null

  constructor(response: Response, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Partial<ProblemDocument>
    super(problem.detail ?? problem.title ?? `The service answered ${response.status}.`)
    this.status = response.status
    this.code = problem.code ?? 'unexpected_response'
    this.mistakes = problem.errors ?? []
    this.requestId = problem.request_id ?? response.headers.get('x-request-id')
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null
  }

  /** What is wrong with one member of the input; `null`: nothing. */
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

/** No answer came: the service is away, or the network is. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError'
}

/** What to tell people of whatever was thrown. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong in this page.'

export const isProblem = (error: unknown, code?: string): error is ProblemError =>
  error instanceof ProblemError && (code === undefined || error.code === code)
