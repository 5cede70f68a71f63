import { describe, expect, it } from 'vitest'
import { EventStreamReader, MAX_MESSAGE_CHARACTERS } from '../src/api/eventStream.ts'

/** Reads a whole stream in one chunk, then one character at a time. */
function readBothWays(stream: string) {
  const whole = new EventStreamReader().push(stream)
  const reader = new EventStreamReader()
  const bitByBit = [...stream].flatMap((character) => reader.push(character))
  expect(bitByBit).toEqual(whole)
  return whole
}

describe('EventStreamReader', () => {
  it('reads named messages and joins their data lines', () => {
    expect(readBothWays('event: deliveries\ndata: {"a":\ndata: 1}\n\n')).toEqual([
      { event: 'deliveries', data: '{"a":\n1}' },
    ])
  })

  it('accepts all three line endings, also mixed', () => {
    expect(readBothWays('data: 1\r\n\r\ndata: 2\r\rdata: 3\n\ndata: 4\r\n\n')).toEqual(
      ['1', '2', '3', '4'].map((data) => ({ event: 'message', data })),
    )
  })

  it('removes exactly one space after the colon', () => {
    expect(readBothWays('data:  two\ndata:none\ndata\n\n')).toEqual([
      { event: 'message', data: ' two\nnone\n' },
    ])
  })

  it('skips comments, unknown fields, and messages without data', () => {
    const stream = ': keep-alive\n\nid: 7\nretry: 10\nevent: empty\n\ndata: x\n\n'
    expect(readBothWays(stream)).toEqual([{ event: 'message', data: 'x' }])
  })

  it('does not return an unfinished message', () => {
    expect(readBothWays('data: whole\n\ndata: half\n')).toEqual([{ event: 'message', data: 'whole' }])
  })

  it('removes a byte order mark only at the start', () => {
    expect(readBothWays('\uFEFFdata: a\n\ndata: \uFEFFb\n\n').map(({ data }) => data)).toEqual([
      'a',
      '\uFEFFb',
    ])
  })

  it('rejects a stream whose last message is unfinished', () => {
    const reader = new EventStreamReader()
    const mebibyte = `data: ${'x'.repeat(1024 * 1024)}\n`
    const pushes = Math.ceil(MAX_MESSAGE_CHARACTERS / mebibyte.length) + 1
    expect(() => {
      for (let push = 0; push < pushes; push++) reader.push(mebibyte)
    }).toThrow('without an end')
  })
})
