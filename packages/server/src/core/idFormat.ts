/** How 16 id bytes are written: prefixed Crockford base32 (sorts like the bytes), or a UUID. */
export interface IdFormat {
  /** `bytes`: 16 of them. */
  readonly format: (bytes: Uint8Array) => string
  /** @returns the 16 bytes, or `null` when `text` is not in this form. */
  readonly parse: (text: string) => Uint8Array | null
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'
const BASE32_CODES = [...BASE32].map((char) => char.charCodeAt(0))
const BASE32_CHARS = 26
/** Written as one expression for each id: appending one character at a time would create 26 intermediate strings. */
const digits = new Array<number>(BASE32_CHARS).fill(0)
const BASE32_VALUE = new Map([...BASE32].map((char, value) => [char, value]))
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** `prefix` and 26 base32 characters: `evt_01k…`. */
export function prefixedFormat(prefix: string): IdFormat {
  return {
    format: (bytes) => prefix + toBase32(bytes),
    parse: (text) => (text.startsWith(prefix) ? fromBase32(text.slice(prefix.length)) : null),
  }
}

export const uuidFormat: IdFormat = {
  format(bytes) {
    let text = ''
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
      text += HEX[bytes[i]!]!
    }
    return text
  },
  parse(text) {
    const lower = text.toLowerCase()
    return UUID.test(lower) ? Uint8Array.from(Buffer.from(lower.replaceAll('-', ''), 'hex')) : null
  },
}

function toBase32(bytes: Uint8Array): string {
  // 128 bits in 26 characters leave two bits. They lead as zeros, so that text sorts like the bytes.
  let at = 0
  let bits = 2
  let value = 0
  for (let i = 0; i < 16; i++) {
    value = ((value << 8) | bytes[i]!) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      digits[at++] = BASE32_CODES[(value >>> bits) & 31]!
    }
  }
  return String.fromCharCode.apply(null, digits)
}

function fromBase32(text: string): Uint8Array | null {
  if (text.length !== BASE32_CHARS || text > '7zzzzzzzzzzzzzzzzzzzzzzzzz') return null
  const bytes = new Uint8Array(16)
  let length = 0
  let bits = -2
  let value = 0
  for (const char of text) {
    const digit = BASE32_VALUE.get(char)
    if (digit === undefined) return null
    value = ((value << 5) | digit) & 0xffff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[length++] = (value >>> bits) & 0xff
    }
  }
  return bytes
}
