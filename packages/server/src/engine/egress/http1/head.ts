import { contradictoryLengths, unreadable } from './errors.ts'

/** How the body of a response ends (RFC 9112 section 6.3). */
export type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' }

export interface ResponseHead {
  readonly statusCode: number
  /** At most 256 characters, like the next. */
  readonly contentType: string | null
  readonly retryAfter: string | null
  readonly framing: Framing
  /** Whether the connection may carry another request, and for how long at most; ms, `null`: not given. */
  readonly keepAlive: { readonly allowed: boolean; readonly timeoutMs: number | null }
}

/** Matches a valid head at once: its characters need no further check. */
const HEAD =
  /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+\-.^_`|~\w]+:[\t\x20-\x7e\x80-\xff]*)*$/
const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?$/
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/
/** A value that continues on the next line (RFC 9112 section 5.2). */
const FOLD = /\r\n[\t ]+/g
/** Longer numbers would not be exact, and no real body is that long. */
const LENGTH = /^\d{1,15}$/
const NO_LENGTH = /^0+$/
const KEEP_ALIVE_TIMEOUT = /(?:^|[\s,])timeout=(\d{1,9})(?:$|[\s,])/i
/** Values that are kept after the exchange. No real value is longer. */
const MAX_KEPT_CHARACTERS = 256
const SPACE = 0x20
const TAB = 0x09
const STATUS_CODE_AT = 'HTTP/1.1 '.length

const NO_BODY: Framing = { kind: 'length', bytes: 0 }
const CHUNKED: Framing = { kind: 'chunked' }
const UNTIL_CLOSE: Framing = { kind: 'close' }

/** The headers that are read. A header that may be repeated has all its values, as in a list. */
interface Fields {
  contentType: string | null
  retryAfter: string | null
  keepAlive: string | null
  connection: string | null
  transferEncoding: string | null
  contentLength: string | null
}

/**
 * Parses the head of a response.
 * @param text without the empty line, one character per byte
 * @throws ExchangeError that says what is wrong
 */
export function parseHead(text: string): ResponseHead {
  const unfolded = text.includes('\r\n ') || text.includes('\r\n\t') ? unfold(text) : text
  if (!HEAD.test(unfolded)) throw unreadable(faultOf(unfolded))
  const fields = fieldsOf(unfolded)
  const statusCode = Number(unfolded.slice(STATUS_CODE_AT, STATUS_CODE_AT + 3))
  const isOld = unfolded.charCodeAt(STATUS_CODE_AT - 2) === 0x30
  const framing = framingOf(statusCode, fields)
  const timeout = fields.keepAlive === null ? undefined : KEEP_ALIVE_TIMEOUT.exec(fields.keepAlive)?.[1]
  return {
    statusCode,
    contentType: kept(fields.contentType),
    retryAfter: kept(fields.retryAfter),
    framing,
    keepAlive: {
      allowed:
        framing.kind !== 'close' && !announcesForbiddenBody(statusCode, fields) && staysOpen(isOld, fields),
      timeoutMs: timeout === undefined ? null : Number(timeout) * 1_000,
    },
  }
}

function unfold(text: string): string {
  const fields = text.indexOf('\r\n') + 2
  return text.slice(0, fields) + text.slice(fields).replace(FOLD, ' ')
}

function fieldsOf(text: string): Fields {
  const fields: Fields = {
    contentType: null,
    retryAfter: null,
    keepAlive: null,
    connection: null,
    transferEncoding: null,
    contentLength: null,
  }
  for (let end = text.indexOf('\r\n'); end !== -1; ) {
    const start = end + 2
    end = text.indexOf('\r\n', start)
    const colon = text.indexOf(':', start)
    const value = () => trimmed(text, colon + 1, end === -1 ? text.length : end)
    switch (text.slice(start, colon).toLowerCase()) {
      case 'content-type':
        fields.contentType = value()
        break
      case 'retry-after':
        fields.retryAfter = value()
        break
      case 'keep-alive':
        fields.keepAlive = value()
        break
      case 'connection':
        fields.connection = listed(fields.connection, value())
        break
      case 'transfer-encoding':
        fields.transferEncoding = listed(fields.transferEncoding, value())
        break
      case 'content-length':
        fields.contentLength = listed(fields.contentLength, value())
        break
    }
  }
  return fields
}

function listed(before: string | null, value: string): string {
  return before === null ? value : `${before},${value}`
}

function framingOf(statusCode: number, { transferEncoding, contentLength }: Fields): Framing {
  if (hasNoBody(statusCode)) return NO_BODY
  if (transferEncoding !== null) {
    // A length beside it can make one response look like two.
    if (contentLength !== null) throw contradictoryLengths()
    return itemsOf(transferEncoding).at(-1) === 'chunked' ? CHUNKED : UNTIL_CLOSE
  }
  if (contentLength === null) return UNTIL_CLOSE
  const [length, ...others] = new Set(itemsOf(contentLength))
  if (others.length > 0) throw contradictoryLengths()
  if (!LENGTH.test(length!)) throw unreadable('the Content-Length is not a number')
  return { kind: 'length', bytes: Number(length) }
}

function hasNoBody(statusCode: number): boolean {
  return statusCode < 200 || statusCode === 204 || statusCode === 304
}

/** Whether a body is announced that the status forbids: if it came anyway, it would be read as the next response. */
function announcesForbiddenBody(statusCode: number, { transferEncoding, contentLength }: Fields): boolean {
  return (
    hasNoBody(statusCode) &&
    (transferEncoding !== null || (contentLength !== null && !NO_LENGTH.test(contentLength)))
  )
}

function staysOpen(isOld: boolean, { connection, transferEncoding }: Fields): boolean {
  // HTTP/1.0 has no chunked encoding; a peer that sends it is broken.
  if (isOld && transferEncoding !== null) return false
  if (connection === null) return !isOld
  const options = itemsOf(connection)
  return !options.includes('close') && (!isOld || options.includes('keep-alive'))
}

function itemsOf(list: string): string[] {
  return list.split(',').map((item) => trimmed(item, 0, item.length).toLowerCase())
}

/** Copied: a substring references the whole head and would keep it in memory. */
function kept(value: string | null): string | null {
  return value === null ? null : Buffer.from(value.slice(0, MAX_KEPT_CHARACTERS), 'latin1').toString('latin1')
}

/**
 * A part of `text` without the blanks around it. `trim()` also removes other characters, among them a byte that no parser
 * treats as a blank. A pattern anchored at the end would take quadratic time for blanks in the middle.
 */
function trimmed(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

/** What is wrong with a head that does not match {@link HEAD}. */
function faultOf(text: string): string {
  const [statusLine, ...lines] = text.split('\r\n')
  if (!STATUS_LINE.test(statusLine!)) return 'its status line is invalid'
  const broken = lines.find((line) => !HEADER_NAME.test(line.split(':', 1)[0]!) || !line.includes(':'))
  return broken === undefined
    ? 'a header value has a control character'
    : 'a header line is not a name, a colon and a value'
}
