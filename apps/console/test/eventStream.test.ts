import { describe, expect, it } from 'vitest'
import { EventStreamReader, MAX_MESSAGE_CHARACTERS } from '../src/api/eventStream.ts'

/** Reads a whole stream in one chunk, and again one character at a time. */
function readBothWays(stream: string) {
  const whole = new EventStreamReader().push(stream)
  const reader = new EventStreamReader()
  const bitByBit = [...stream].flatMap((character) => reader.push(character))
  expect(bitByBit).toEqual(whole)
  return whole
}

describe('EventStreamReader', () => {
  it('reads messages with a name, lines of data put together again', () => {
    expect(readBothWays('event: deliveries\ndata: {"a":\ndata: 1}\n\n')).toEqual([
      { event: 'deliveries', data: '{"a":\n1}' },
    ])
  })

  it('knows all three ends of a line, also mixed', () => {
    expect(readBothWays('data: 1\r\n\r\ndata: 2\r\rdata: 3\n\ndata: 4\r\n\n')).toEqual(
      ['1', '2', '3', '4'].map((data) => ({ event: 'message', data })),
    )
  })

  it('takes away one space after the colon and no more', () => {
    expect(readBothWays('data:  two\ndata:none\ndata\n\n')).toEqual([
      { event: 'message', data: ' two\nnone\n' },
    ])
  })

  it('skips comments, fields it has no use for, and messages without data', () => {
    const stream = ': keep-alive\n\nid: 7\nretry: 10\nevent: empty\n\ndata: x\n\n'
    expect(readBothWays(stream)).toEqual([{ event: 'message', data: 'x' }])
  })

  it('does not give a message that has not ended', () => {
    expect(readBothWays('data: whole\n\ndata: half\n')).toEqual([{ event: 'message', data: 'whole' }])
  })

  it('leaves out a byte order mark at the start alone', () => {
    expect(readBothWays('\uFEFFdata: a\n\ndata: \uFEFFb\n\n').map(({ data }) => data)).toEqual([
      'a',
      '\uFEFFb',
    ])
  })

  it('ends a stream whose message has no end', () => {
    const reader = new EventStreamReader()
    const mebibyte = `data: ${'x'.repeat(1024 * 1024)}\n`
    const pushes = Math.ceil(MAX_MESSAGE_CHARACTERS / mebibyte.length) + 1
    expect(() => {
      for (let push = 0; push < pushes; push++) reader.push(mebibyte)
    }).toThrow('without an end')
  })
})
