/** A message as a mail program reads it. */
export interface ReadMail {
  /** By name in lower case, unfolded and decoded. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly html: string
}

/**
 * Reads a message with one text and one HTML part, which is all that the service sends.
 * @throws Error for any other structure
 */
export function readMail(raw: string): ReadMail {
  const { headers, body } = entity(raw)
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/s.exec(
    headers.get('content-type') ?? '',
  )?.[1]
  if (boundary === undefined) throw new Error(`no message of alternatives: ${headers.get('content-type')}`)
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => entity(part.replace(/^\r\n/, '')))
  const [text, html] = parts
  if (parts.length !== 2 || !isPart(text!, 'text/plain') || !isPart(html!, 'text/html'))
    throw new Error(`not text and HTML, but ${parts.map((part) => part.headers.get('content-type'))}`)
  return { headers, text: decoded(text!), html: decoded(html!) }
}

interface Entity {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

function entity(raw: string): Entity {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = /^([!-9;-~]+): ?(.*)$/s.exec(line) ?? []
    if (name === undefined) throw new Error(`no header: ${line}`)
    if (headers.has(name.toLowerCase())) throw new Error(`two headers ${name}`)
    headers.set(name.toLowerCase(), decodedWords(value!))
  }
  return { headers, body: raw.slice(end + 4) }
}

function isPart({ headers }: Entity, type: string): boolean {
  return headers.get('content-type') === `${type}; charset=utf-8`
}

function decoded({ headers, body }: Entity): string {
  const text = body.replace(/\r\n$/, '')
  switch (headers.get('content-transfer-encoding')) {
    case 'base64':
      return Buffer.from(text, 'base64').toString().replaceAll('\r\n', '\n')
    case 'quoted-printable':
      return Buffer.from(unquoted(text.replace(/=\r\n/g, '')), 'latin1')
        .toString()
        .replaceAll('\r\n', '\n')
    default:
      return text.replaceAll('\r\n', '\n')
  }
}

/** Words of RFC 2047. */
function decodedWords(value: string): string {
  return value
    .replace(/(=\?[^?]+\?[BQ]\?[^?]*\?=) +(?==\?)/gi, '$1')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString()
        : Buffer.from(unquoted(text.replaceAll('_', ' ')), 'latin1').toString(),
    )
}

function unquoted(text: string): string {
  return text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
