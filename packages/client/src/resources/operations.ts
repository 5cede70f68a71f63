type RawBodyOf<Operation> = Operation extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Body
  : never

/** The JSON body that an operation takes. */
export type BodyOf<Operation> = Immutable<RawBodyOf<Operation>>

/** A body for the low-level client, whose types are not read-only. Nothing writes to it. */
export const bodyFor = <Operation>(body: BodyOf<Operation>) => body as RawBodyOf<Operation>

/** The query parameters that an operation takes. */
export type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? Immutable<NonNullable<Query>>
  : never

/** The JSON of the response of an operation. */
export type AnswerOf<Operation, Status extends number> = Operation extends {
  responses: Record<Status, { content: { 'application/json': infer Answer } }>
}
  ? Answer
  : never

/** What is only read may be read-only. */
type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Immutable<T[Member]> }
    : T

/** Options of every method. */
export interface RequestOptions {
  /** Ends the request and its retries. */
  readonly signal?: AbortSignal | undefined
}

export interface PostOptions extends RequestOptions {
  /** Your own key, to repeat the request from another process. Otherwise each call gets a key for its retries. */
  readonly idempotencyKey?: string | undefined
}

export interface ChangeOptions extends RequestOptions {
  /** The `ETag` of the webhook as you read it: the change is rejected with 412 if the webhook was changed since. */
  readonly ifMatch?: string | undefined
}

/** These options in the form of the low-level client. */
export const requestInit = ({ signal, idempotencyKey, ifMatch }: PostOptions & ChangeOptions) => ({
  signal: signal ?? null,
  headers: { 'idempotency-key': idempotencyKey, 'if-match': ifMatch },
})
