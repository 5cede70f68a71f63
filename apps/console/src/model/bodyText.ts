/** Deeper than this nobody reads, and each level makes every line of it longer. */
const MAX_DEPTH = 60
const INDENT = '  '
const HEX_BYTES_PER_LINE = 8

/**
 * JSON with line breaks and indents. Its tokens are left as they were sent: numbers keep their digits, strings their
 * escapes, members their order, also where names occur twice.
 * @returns `null` when it is no JSON, or too deep to be shown so
 */
export function formatJson(text: string): string | null {
  if (!isJson(text)) return null
  const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let out = ''
  let depth = 0
  for (const [place, token] of tokens.entries()) {
    if (isClosing(token)) depth -= 1
    if (place > 0 && breaksBefore(tokens[place - 1]!, token)) out += `\n${INDENT.repeat(depth)}`
    out += token === ':' ? ': ' : token
    if (isOpening(token)) depth += 1
    if (depth > MAX_DEPTH) return null
  }
  return out
}

/** Each member and element has a line of its own; what is empty stays together. */
const breaksBefore = (before: string, token: string) =>
  before === ',' || isOpening(before) !== isClosing(token)

const isOpening = (token: string) => token === '{' || token === '['
const isClosing = (token: string) => token === '}' || token === ']'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Bytes by place, in hexadecimal, and as text where they are printable ASCII. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let start = 0; start < bytes.length; start += HEX_BYTES_PER_LINE) {
    const row = Array.from(bytes.subarray(start, start + HEX_BYTES_PER_LINE))
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    const place = start.toString(16).padStart(4, '0')
    lines.push(`${place}  ${hex.padEnd(HEX_BYTES_PER_LINE * 3 - 1)}  ${text}`)
  }
  return lines.join('\n')
}

/** One way of looking at a body. */
export interface BodyView {
  readonly name: 'JSON' | 'Text' | 'Raw' | 'Hex'
  readonly text: string
}

/**
 * The ways in which a body can be looked at, the best one first; none when it is empty.
 * @param encoding `base64`: it is not UTF-8
 */
export function bodyViews(body: string, encoding: 'utf-8' | 'base64'): readonly BodyView[] {
  if (body === '') return []
  if (encoding === 'base64') return [{ name: 'Hex', text: hexDump(bytesOfBase64(body)) }]
  const json = formatJson(body)
  if (json === null) return [{ name: 'Text', text: body }]
  return [
    { name: 'JSON', text: json },
    { name: 'Raw', text: body },
  ]
}

const bytesOfBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
