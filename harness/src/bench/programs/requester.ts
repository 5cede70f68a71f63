/** One request that is made again and again. */
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
  /** Requests under way at any time. */
  readonly inFlight: number
}

export type ToRequester = { readonly kind: 'count' } | { readonly kind: 'finish' }

export type FromRequester =
  | { readonly kind: 'count'; readonly answered: number }
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly reason: string }

export const REQUESTER = new URL('./requesterProgram.ts', import.meta.url)
