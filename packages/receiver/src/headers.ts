import { WebhookVerificationError } from './errors.ts'

/** One value, or an array that must hold exactly one. */
export type HeaderValue = string | readonly string[] | undefined

/**
 * Request headers in any common form: a fetch `Headers`, a `Map`, an iterable of pairs, or a plain object such as
 * `req.headers` or `req.headersDistinct` of node:http. Letter case of the names does not matter.
 */
export type WebhookHeaders =
  | Iterable<readonly [name: string, value: HeaderValue]>
  | { readonly [name: string]: HeaderValue }

/** A header to read. */
export interface WantedHeader {
  readonly name: string
  /** Whether one value can hold a comma and a space. */
  readonly mayHoldList: boolean
}

/**
 * The values of headers by their names as given; those that are missing are left out.
 *
 * @throws {WebhookVerificationError} `headers_invalid` or `header_ambiguous`.
 */
export function readHeaders(headers: WebhookHeaders, wanted: readonly WantedHeader[]): Map<string, string> {
  const values = collectValues(headers, new Set(wanted.map(({ name }) => lowerCase(name))))
  const found = new Map<string, string>()
  for (const header of wanted) {
    const value = singleValue(header, values.get(lowerCase(header.name)) ?? [])
    if (value !== undefined) found.set(header.name, value)
  }
  return found
}

function collectValues(headers: unknown, wanted: ReadonlySet<string>): Map<string, unknown[]> {
  const values = new Map<string, unknown[]>()
  // Getters, proxies and iterators run code of the caller's, which must not surface as an error of its own kind.
  try {
    for (const [name, value] of headerPairs(headers)) {
      const key = lowerCase(name)
      if (!wanted.has(key) || value === undefined || value === null) continue
      const known = values.get(key) ?? []
      values.set(key, known.concat(value))
    }
  } catch (cause) {
    throw new WebhookVerificationError(
      'headers_invalid',
      'The headers could not be read. Pass a fetch Headers, a Map, a plain object or an iterable of [name, value].',
      { cause },
    )
  }
  return values
}

function* headerPairs(headers: unknown): Generator<[name: string, value: unknown]> {
  if (typeof headers !== 'object' || headers === null) throw new TypeError('Headers are an object.')
  const pairs: Iterable<unknown> = isIterable(headers) ? headers : Object.entries(headers)
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string') {
      throw new TypeError('A header is a pair of name and value.')
    }
    yield [pair[0], pair[1]]
  }
}

function isIterable(value: object): value is Iterable<unknown> {
  return typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function'
}

function singleValue({ name, mayHoldList }: WantedHeader, values: readonly unknown[]): string | undefined {
  const [value] = values
  if (values.length > 1 || (typeof value === 'string' && !mayHoldList && isJoined(value))) {
    throw new WebhookVerificationError(
      'header_ambiguous',
      `The header ${name} came more than once, so it is unclear which value is meant. It must come once.`,
    )
  }
  if (value === undefined || typeof value === 'string') return value
  throw new WebhookVerificationError('headers_invalid', `The header ${name} must be a string.`)
}

/** fetch and node:http join repeated headers with a comma and a space, which hardly any value of ours holds. */
function isJoined(value: string): boolean {
  return value.includes(', ')
}

function lowerCase(name: string): string {
  return name.toLowerCase()
}
