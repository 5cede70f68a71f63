import { describe, expect, test } from 'vitest'
import { FinalHeadReader } from '../../../src/engine/egress/http1/finalHead.ts'

const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** Reads all of it and returns the statuses. */
function reading(reader: FinalHeadReader, text: string): number[] {
  const found: number[] = []
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    rest = rest.subarray(reader.read(rest))
    if (reader.head !== null) found.push(reader.head.statusCode)
  }
  return found
}

describe('interim responses', () => {
  test('are skipped, 32 before each answer', () => {
    const reader = new FinalHeadReader()
    const answer = INTERIM.repeat(32) + FINAL
    expect(reading(reader, answer.repeat(3))).toEqual([200, 200, 200])
  })

  test('are too many beyond that, however they arrive', () => {
    const reader = new FinalHeadReader()
    expect(reading(reader, INTERIM.repeat(32))).toEqual([])
    expect(reading(reader, INTERIM.slice(0, -1))).toEqual([])
    expect(() => reading(reader, '\n')).toThrow('not valid HTTP/1.1 (too many interim responses)')
  })

  test('are too long beyond 64 KB together', () => {
    const hints = `HTTP/1.1 103 Early Hints\r\nLink: ${'a'.repeat(16_000)}\r\n\r\n`
    const reader = new FinalHeadReader()
    expect(reading(reader, hints.repeat(4) + FINAL)).toEqual([200])
    expect(reading(reader, hints.repeat(4))).toEqual([])
    expect(() => reading(reader, hints)).toThrow('too many interim responses')
  })
})
