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

/** Lower case alone, so that one signature has one spelling. */
export function decodeHex(text: string): Uint8Array | null {
  if (!HEX_BYTES.test(text)) return null
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(text.slice(index * 2, index * 2 + 2), 16)
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
