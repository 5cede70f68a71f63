/** One request that is repeated. */
export interface RepeatedRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string | null
  readonly expectedStatus: number
}

export interface RequesterStart {
  readonly origin: string
  readonly request: RepeatedRequest
  /** Requests in flight at any time. */
  readonly inFlight: number
}

export interface ToRequester {
  readonly kind: 'count'
}

export type FromRequester =
  | { readonly kind: 'count'; readonly answered: number }
  | { readonly kind: 'failed'; readonly reason: string }

export const REQUESTER = new URL('./requesterProgram.ts', import.meta.url)
