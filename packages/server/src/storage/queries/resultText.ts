/** Stands for bytes; names of members that begin like it get one more sign in front. */
const BYTES = '$bytes'

/** Writes a result of the store as text: JSON, in which bytes are base64 under a name of their own. */
export function resultToText(result: unknown): string {
  return JSON.stringify(encode(result))
}

/** @param text from {@link resultToText} */
export function resultFromText(text: string): unknown {
  return decode(JSON.parse(text))
}

function encode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return { [BYTES]: base64Of(value) }
  return Array.isArray(value) ? value.map(encode) : mapMembers(value, escapeName, encode)
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(decode)
  const bytes = (value as Record<string, unknown>)[BYTES]
  // A copy, since small buffers are views of one that they share.
  if (bytes !== undefined) return Uint8Array.from(Buffer.from(bytes as string, 'base64'))
  return mapMembers(value, unescapeName, decode)
}

function mapMembers(
  value: object,
  name: (name: string) => string,
  member: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), member(inner)]))
}

const escapeName = (name: string): string => (name.startsWith('$') ? `$${name}` : name)
const unescapeName = (name: string): string => (name.startsWith('$') ? name.slice(1) : name)

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
