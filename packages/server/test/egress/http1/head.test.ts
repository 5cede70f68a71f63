import { describe, expect, test } from 'vitest'
import { parseHead } from '../../../src/engine/egress/http1/head.ts'
import { liveHeapBytes } from '../../support/liveHeap.ts'

const head = (...lines: readonly string[]) => parseHead(lines.join('\r\n'))
const OK = 'HTTP/1.1 200 OK'

describe('a status line', () => {
  test.each([
    ['HTTP/1.1 200 OK', 200],
    ['HTTP/1.1 204', 204],
    ['HTTP/1.1 204 ', 204],
    ['HTTP/1.0 404 Not Found', 404],
    ['HTTP/1.1 999 \x80\xff\t!', 999],
    ['HTTP/1.1 103 Early Hints', 103],
  ])('%j is read', (line, statusCode) => {
    expect(head(line).statusCode).toBe(statusCode)
  })

  test.each([
    'HTTP/1.1 200OK',
    'HTTP/1.1  200 OK',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 000 Nothing',
    'HTTP/1.1 099 Less',
    'HTTP/1.1 2x0 OK',
    'HTTP/2 200',
    'HTTP/1.2 200 OK',
    'http/1.1 200 OK',
    ' HTTP/1.1 200 OK',
    'HTTP/1.1 200 O\0K',
    'ICY 200 OK',
    '',
  ])('%j is invalid', (line) => {
    expect(() => head(line)).toThrow('(its status line is invalid)')
  })
})

describe('header lines', () => {
  test('are read whatever the letter case and the blanks around values', () => {
    const { contentType, retryAfter } = head(OK, 'CONTENT-type: \t text/plain \t', 'retry-AFTER:120')
    expect([contentType, retryAfter]).toEqual(['text/plain', '120'])
  })

  test('are kept up to 256 characters', () => {
    const long = 'a'.repeat(16_000)
    const { contentType, retryAfter } = head(OK, `Content-Type: ${long}`, `Retry-After: ${long}`)
    expect([contentType, retryAfter]).toEqual([long.slice(0, 256), long.slice(0, 256)])
  })

  test('that are kept do not keep the rest of their head in memory', () => {
    const text = Buffer.from(
      `${OK}\r\nContent-Type: application/json; charset=utf-8\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nX: ${'x'.repeat(16_000)}`,
    )
    const heads: unknown[] = []
    const before = liveHeapBytes()
    for (let i = 0; i < 2_000; i++) heads.push(parseHead(text.toString('latin1')))
    expect(liveHeapBytes() - before).toBeLessThan((heads.length * text.length) / 2)
  })

  // Quadratic time in the number of blanks would take minutes.
  test.each([
    ['a value', ' '.repeat(16_000)],
    ['folded lines', '\r\n '.repeat(5_000)],
    ['a list', `,${' '.repeat(16_000)}b`],
  ])('are read in one pass, however many blanks are in %s', (_, blanks) => {
    for (let i = 0; i < 1_000; i++) {
      const { contentType, keepAlive } = head(
        OK,
        'Content-Length: 0',
        `Connection: a${blanks}b,close`,
        'Content-Type: x',
      )
      expect([contentType, keepAlive.allowed]).toEqual(['x', false])
    }
  })

  test('that are folded are one', () => {
    expect(head(OK, 'Content-Type: text/html;', '  charset=utf-8', '\tx').contentType).toBe(
      'text/html; charset=utf-8 x',
    )
  })

  test('that are folded need one to be folded into', () => {
    expect(() => head(OK, ' Content-Length: 0')).toThrow('not a name, a colon and a value')
    expect(() => head(OK, '\tContent-Length: 0', 'Date: today')).toThrow('not a name, a colon and a value')
  })

  test('may hold bytes beyond ASCII in their values', () => {
    expect(head(OK, 'Content-Type: a\xe9\xff').contentType).toBe('a\xe9\xff')
  })

  test.each(['no colon', 'Content-Length : 2', ': no name', 'na me: x', 'n\xe9: x', 'x(y): z', ''])(
    '%j is invalid',
    (line) => {
      expect(() => head(OK, line, 'Date: today')).toThrow('not a name, a colon and a value')
    },
  )

  test.each(['\0', '\x01', '\x7f', '\n', '\r', '\x1b'])('must not contain %j', (char) => {
    expect(() => head(OK, `X-Odd: a${char}b`)).toThrow(/control character|not a name/)
  })
})

describe('the end of the body is', () => {
  test.each([
    [{ kind: 'length', bytes: 12 }, ['Content-Length: 12']],
    [{ kind: 'length', bytes: 0 }, ['Content-Length: 000']],
    [{ kind: 'length', bytes: 7 }, ['Content-Length: 7', 'Content-Length: 7']],
    [{ kind: 'length', bytes: 7 }, ['Content-Length: 7, 7']],
    [{ kind: 'chunked' }, ['Transfer-Encoding: chunked']],
    [{ kind: 'chunked' }, ['Transfer-Encoding: gzip, Chunked']],
    [{ kind: 'chunked' }, ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked']],
    [{ kind: 'close' }, ['Transfer-Encoding: chunked, gzip']],
    [{ kind: 'close' }, []],
  ])('%j after %j', (framing, lines) => {
    expect(head(OK, ...lines).framing).toEqual(framing)
  })

  test.each([100, 103, 204, 304])('that of the head for %i, whatever the headers say', (status) => {
    const nothing = { kind: 'length', bytes: 0 }
    expect(head(`HTTP/1.1 ${status} -`, 'Content-Length: 5').framing).toEqual(nothing)
    expect(head(`HTTP/1.1 ${status} -`, 'Transfer-Encoding: chunked').framing).toEqual(nothing)
  })

  test.each([
    [['Content-Length: 2', 'Content-Length: 3']],
    [['Content-Length: 2, 3']],
    [['Content-Length: 2', 'Transfer-Encoding: chunked']],
    [['Transfer-Encoding: gzip', 'Content-Length: 2']],
  ])('contradictory for %j', (lines) => {
    expect(() => head(OK, ...lines)).toThrow('length headers of the response contradict each other')
  })

  test.each(['', '\xa02', '2\xa0', '-1', '+2', '0x10', '1e3', '2 2', '9999999999999999', '2.0', 'two'])(
    'unknown for a length of %j',
    (length) => {
      expect(() => head(OK, `Content-Length: ${length}`)).toThrow('the Content-Length is not a number')
    },
  )
})

describe('a connection', () => {
  const L = 'Content-Length: 0'

  test.each([
    [true, OK, [L]],
    [true, OK, [L, 'Connection: keep-alive']],
    [false, OK, [L, 'Connection: close']],
    [false, OK, [L, 'Connection: Upgrade, CLOSE']],
    [false, OK, [L, 'Connection: keep-alive', 'Connection: close']],
    [false, 'HTTP/1.0 200 OK', [L]],
    [true, 'HTTP/1.0 200 OK', [L, 'Connection: Keep-Alive']],
    [false, 'HTTP/1.0 200 OK', ['Transfer-Encoding: chunked', 'Connection: Keep-Alive']],
    [false, OK, []],
    [true, 'HTTP/1.1 204 No Content', []],
    [true, 'HTTP/1.1 204 No Content', [L]],
    [false, 'HTTP/1.1 204 No Content', ['Content-Length: 2']],
    [false, 'HTTP/1.1 204 No Content', ['Transfer-Encoding: chunked']],
    [true, 'HTTP/1.1 304 Not Modified', []],
    [false, 'HTTP/1.1 304 Not Modified', ['Content-Length: 10']],
  ])('may continue: %j after %j with %j', (allowed, line, lines) => {
    expect(head(line, ...lines).keepAlive.allowed).toBe(allowed)
  })

  test.each([
    ['timeout=5', 5_000],
    ['timeout=5, max=100', 5_000],
    ['max=100,timeout=20', 20_000],
    ['max=100', null],
    ['timeout=soon', null],
    ['timeout=-1', null],
  ])('may be idle as %j says', (value, timeoutMs) => {
    expect(head(OK, L, `Keep-Alive: ${value}`).keepAlive.timeoutMs).toBe(timeoutMs)
  })
})
