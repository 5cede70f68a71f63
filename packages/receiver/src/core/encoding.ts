const LONE_SURROGATE = /\p{Surrogate}/u
const HEX_BYTES = /^(?:[0-9a-f]{2})*$/

const encoder = new TextEncoder()

export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export function encodeHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}

/**
 * `atob` forgives white space, missing padding and stray trailing bits, which would give one signature many
 * spellings. Comparing with the canonical spelling refuses all three.
 */
export function decodeBase64(text: string): Uint8Array | null {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return null
  }
  return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : null
}

/** Only lower case, so that one signature has one spelling. */
export function decodeHex(text: string): Uint8Array | null {
  if (!HEX_BYTES.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/**
 * `TextEncoder` turns every lone surrogate into U+FFFD, so that different strings would share their bytes and
 * with them a signature. Such strings have no UTF-8 form: `null`.
 */
export function encodeUtf8(text: string): Uint8Array | null {
  return LONE_SURROGATE.test(text) ? null : encoder.encode(text)
}
