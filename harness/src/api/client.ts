import type { ApiDocument } from './apiDocument.ts'
import { checkAnswer, parseJson, textOf } from './checkAnswer.ts'
import { Coverage } from './coverage.ts'
import type { Operation } from './operation.ts'
import { type Answer, Transport } from './transport.ts'

const CONNECTIONS = 16
const TIMEOUT_MS = 15_000

/** One request to a described operation. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  /** Sent unchanged, instead of the path built from `params` and `query`. */
  readonly path?: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** Sent as a bearer token. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged, instead of `json`. */
  readonly body?: string | Uint8Array
}

/** The error body (RFC 9457), with the fields that tests read. */
export interface ProblemJson {
  readonly code: string
  readonly detail: string
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[]
}

export interface CheckedAnswer<T> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Checked against the document; the caller must ensure that it matches `T`. */
  readonly json: T
}

/** The service answered differently than its documents say. */
export class UndocumentedAnswerError extends Error {
  override readonly name = 'UndocumentedAnswerError'
}

/** Calls operations by id, checks every answer against the documents and records which answers were seen. */
export class ApiClient {
  readonly coverage: Coverage
  readonly #operations: ReadonlyMap<string, { readonly document: ApiDocument; readonly operation: Operation }>
  readonly #transport: Transport

  constructor(origin: string, documents: readonly ApiDocument[]) {
    const found = documents.flatMap((document) =>
      document.operations.map((operation) => ({ document, operation })),
    )
    this.#operations = new Map(
      found.flatMap((one) => [
        [one.operation.id, one] as const,
        [`${one.operation.method.toUpperCase()} ${one.operation.path}`, one] as const,
      ]),
    )
    this.coverage = new Coverage(found.map(({ operation }) => operation))
    this.#transport = new Transport({ origin, connections: CONNECTIONS, timeoutMs: TIMEOUT_MS })
  }

  /**
   * @param id an operation's id, or its method and path: `GET /v1/things/{id}`
   * @throws UndocumentedAnswerError; NoAnswerError
   */
  async call<T = ProblemJson>(id: string, call: Call = {}): Promise<CheckedAnswer<T>> {
    const found = this.#operations.get(id)
    if (found === undefined) throw new Error(`no document describes the operation ${id}`)
    const { document, operation } = found
    const path = pathOf(operation, call)
    const method = operation.method.toUpperCase()
    const answer = await this.#transport.send({ method, path, headers: headersOf(call), body: bodyOf(call) })
    const mistakes = checkAnswer(document, operation, answer)
    if (mistakes.length > 0) throw undocumented(`${operation.id}: ${method} ${path}`, answer, mistakes)
    this.coverage.record(operation, answer.status)
    const text = textOf(answer.body) ?? ''
    return { status: answer.status, headers: answer.headers, text, json: parseJson(text)?.value as T }
  }

  close(): void {
    this.#transport.close()
  }
}

function undocumented(what: string, answer: Answer, mistakes: readonly string[]): UndocumentedAnswerError {
  const shown = answer.body.subarray(0, 2000).toString()
  return new UndocumentedAnswerError(`${what} answered ${answer.status}: ${mistakes.join('; ')}\n${shown}`)
}

function pathOf(operation: Operation, { path: given, params = {}, query = {} }: Call): string {
  if (given !== undefined) return given
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${operation.id} needs the path parameter ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.append(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

function headersOf({ key, headers = {}, json }: Call): [string, string][] {
  return Object.entries({
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  })
}

function bodyOf({ json, body }: Call): Buffer | null {
  if (body !== undefined) return Buffer.from(body)
  return json === undefined ? null : Buffer.from(JSON.stringify(json))
}
