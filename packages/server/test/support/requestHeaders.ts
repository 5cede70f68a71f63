/** Flat, alternating header names and values as pairs, in order. */
export function pairs(headers: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i]!, headers[2 * i + 1]!])
}

/** The same by name. */
export function headersOf(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs(headers))
}
