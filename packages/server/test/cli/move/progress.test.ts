import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Progress } from '../../../src/cli/move/progress.ts'
import { bytesOf, durationOf, numberOf } from '../../../src/cli/words.ts'

function listening(isTTY: boolean): {
  readonly out: Writable & { readonly isTTY: boolean }
  readonly said: string[]
} {
  const said: string[] = []
  const out = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      said.push(text)
      done()
    },
  })
  return { out: Object.assign(out, { isTTY }), said }
}

function report(progress: Progress): void {
  progress.begin('copied', new Map([['events', 12_000]]))
  progress.onRows('events', 0)
  progress.onRows('events', 5_000)
  progress.onRows('events', 12_000)
  progress.onRows('waiting', 3)
  progress.end()
}

test('without a terminal each table is one line, once it is done', () => {
  const { out, said } = listening(false)
  report(new Progress(out, () => 0))
  expect(said).toEqual(['copied events: 12,000 of 12,000 rows\n', 'copied waiting: 3 rows\n'])
})

test('on a terminal its line is rewritten, at most five times a second', () => {
  const { out, said } = listening(true)
  let now = 0
  const progress = new Progress(out, () => now)
  progress.begin('copied', new Map([['events', 12_000]]))
  for (const [at, rows] of [
    [0, 0],
    [100, 5_000],
    [250, 10_000],
  ] as const) {
    now = at
    progress.onRows('events', rows)
  }
  progress.end()
  expect(said).toEqual([
    '\r\x1b[Kcopied events: 0 of 12,000 rows',
    '\r\x1b[Kcopied events: 10,000 of 12,000 rows',
    '\r\x1b[Kcopied events: 10,000 of 12,000 rows\n',
  ])
})

test('numbers, sizes and durations are formatted for people', () => {
  expect([numberOf(0), numberOf(1_234_567)]).toEqual(['0', '1,234,567'])
  expect([0, 1023, 1024, 1_572_864, 5 * 1024 ** 4, 3 * 1024 ** 5].map(bytesOf)).toEqual([
    '0 bytes',
    '1023 bytes',
    '1.0 KB',
    '1.5 MB',
    '5.0 TB',
    '3072.0 TB',
  ])
  expect([0, 400, 59_000, 59_001, 65_000, 3_599_999, 7_380_000].map(durationOf)).toEqual([
    '0 s',
    '1 s',
    '59 s',
    '1 min 0 s',
    '1 min 5 s',
    '1 h 0 min',
    '2 h 3 min',
  ])
})
