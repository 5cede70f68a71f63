import { ensure } from './errors.ts'

/** One value, or an array that must hold exactly one. */
export type HeaderValue = string | readonly string[] | undefined

/**
 * Request headers in any common form: a fetch `Headers`, a `Map`, an iterable of pairs, a plain object such as
 * `req.headers` or `req.headersDistinct` of node:http, or its flat `req.rawHeaders`. Letter case of the names does not matter.
 */
export type WebhookHeaders =
  | Iterable<readonly [name: string, value: HeaderValue]>
  | { readonly [name: string]: HeaderValue }
  | readonly string[]

/**
 * The values of headers by their names as given; those that are missing are left out.
 *
 * @param lists names of headers of which one value can hold a comma and a space
 * @throws {WebhookVerificationError} `headers_invalid` or `header_ambiguous`.
 */
export function readHeaders(
  headers: WebhookHeaders,
  names: readonly string[],
  lists: readonly string[] = [],
): Map<string, string> {
  const values: [key: string, value: unknown][] = []
  // Getters, proxies and iterators run code of the caller's, which must not surface as an error of its own kind.
  try {
    for (const [name, value] of headerPairs(headers)) {
      const key = (name as string).toLowerCase()
      for (const one of [value ?? []].flat()) values.push([key, one])
    }
  } catch (cause) {
    ensure(false, 'headers_invalid', 'The headers cannot be read: pass Headers, an object or pairs.', cause)
  }
  const found = new Map<string, string>()
  for (const name of names) {
    const [value, other] = values.filter(([key]) => key === name.toLowerCase())
    if (!value) continue
    const text = value[1]
    ensure(typeof text === 'string', 'headers_invalid', `The header ${name} must be a string.`)
    // fetch and node:http join repeated headers with a comma and a space, which hardly any value of ours holds.
    const isOne = !other && (!text.includes(', ') || lists.includes(name))
    ensure(isOne, 'header_ambiguous', `The header ${name} occurs more than once.`)
    found.set(name, text)
  }
  return found
}

function headerPairs(headers: unknown): Iterable<readonly unknown[]> {
  // Throws for what is no object.
  if (!(Symbol.iterator in (headers as object))) return Object.entries(headers as object)
  const items = [...(headers as Iterable<unknown>)]
  if (typeof items[0] !== 'string') return items as (readonly unknown[])[]
  return items.flatMap((name, i) => (i % 2 ? [] : [[name, items[i + 1]]]))
}
