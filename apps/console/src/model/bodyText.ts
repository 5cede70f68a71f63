/** Limits the indentation of deeply nested JSON. */
const MAX_DEPTH = 60
const INDENT = '  '
const HEX_BYTES_PER_LINE = 8

/**
 * Indents JSON. All tokens are kept as sent: digits of numbers, escapes of strings, order of members and duplicate names.
 * @returns `null` when it is not JSON, or nested too deeply
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

/** Each member and element has its own line. Empty objects and arrays stay on one line. */
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

/** A hex dump with offsets and printable ASCII. */
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

/** A view of a body. */
export interface BodyView {
  readonly name: 'JSON' | 'Text' | 'Raw' | 'Hex'
  readonly text: string
}

/**
 * The views of a body, the best one first; empty for an empty body.
 * @param encoding `base64`: the body is not UTF-8
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
