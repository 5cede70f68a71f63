import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FixedRateSchedule, spread } from '../src/bench/load/fixedRateSchedule.ts'
import { compareIds, complaintsOf, countIds, IdFile } from '../src/bench/load/idFile.ts'
import { BLANK_STAMP, StampedBody, stampIn } from '../src/bench/load/stamp.ts'
import { Latencies } from '../src/bench/measure/latencies.ts'

const SECOND = 1e9

test('a schedule is even, whenever it is polled', () => {
  const schedule = new FixedRateSchedule(4, 10 * SECOND)
  expect(schedule.take(9 * SECOND)).toEqual([])
  expect(schedule.take(10 * SECOND)).toEqual([10 * SECOND])
  expect(schedule.nextNs).toBe(10.25 * SECOND)
  expect(schedule.take(10.3 * SECOND)).toEqual([10.25 * SECOND])
})

test('a late caller catches up with every event, each with its original due time', () => {
  const schedule = new FixedRateSchedule(4, 0)
  expect(schedule.take(SECOND)).toEqual([0, 0.25 * SECOND, 0.5 * SECOND, 0.75 * SECOND, SECOND])
  expect(schedule.nextNs).toBe(1.25 * SECOND)
})

test('a schedule that does not divide a second does not drift', () => {
  const schedule = new FixedRateSchedule(3, 0)
  const met = schedule.take(1000 * SECOND)
  expect(met).toHaveLength(3001)
  expect(met.at(-1)).toBe(1000 * SECOND)
})

test('schedules start one after the other, so that together they are even', () => {
  const due = spread([1, 1, 1, 1], 0).flatMap((schedule) => schedule.take(1.9 * SECOND))
  expect(due.sort((a, b) => a - b)).toEqual([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75].map((s) => s * SECOND))
})

test('a stamped body contains its due time, and keeps its length', () => {
  const template = JSON.stringify({ events: [{ actor_id: BLANK_STAMP }, { actor_id: BLANK_STAMP }] })
  const body = new StampedBody(template).at(46_000_123_456_789)
  expect(stampIn(Buffer.from(body))).toBe(46_000_123_456_789)
  expect(body).toHaveLength(template.length)
  expect(body).not.toContain(BLANK_STAMP)
  expect(stampIn(Buffer.from('{"actor_id":"usr_1"}'))).toBeNull()
})

test('the service accepts the stamp as an actor', () => {
  expect(BLANK_STAMP).toMatch(/^[A-Za-z0-9_.:-]{1,128}$/)
})

test('latencies are separated by group', () => {
  const latencies = new Latencies()
  for (let ms = 1; ms <= 100; ms++) latencies.record('healthy', ms * 1e6)
  latencies.record('late', -5)
  const { healthy, late } = latencies.spreads()
  expect(healthy!.count).toBe(100)
  expect(
    [healthy!.minMs, healthy!.p50Ms, healthy!.p90Ms, healthy!.p99Ms, healthy!.maxMs].map(Math.round),
  ).toEqual([1, 50, 90, 99, 100])
  expect(late!.count).toBe(1)
  latencies.reset()
  expect(latencies.spreads()).toEqual({})
})

function fileWith(...ids: string[]): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'posthorn-bench-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = path.join(directory, 'ids')
  writeFileSync(file, ids.map((id) => `${id}\n`).join(''))
  return file
}

test('lost, unknown and duplicate events are counted and reported', () => {
  const compared = compareIds(fileWith('a', 'b', 'c'), fileWith('b', 'b', 'c', 'x'))
  expect(compared).toEqual({ acknowledged: 3, received: 3, lost: 1, unknown: 1, duplicates: 1 })
  expect(complaintsOf(compared)).toEqual([
    '1 acknowledged events were not received',
    '1 received events were never acknowledged',
    '1 events were received a second time',
  ])
  expect(complaintsOf(compareIds(fileWith('a'), fileWith('a')))).toEqual([])
  expect(countIds(fileWith('a', 'b', 'a'))).toEqual({ distinct: 2, duplicates: 1 })
})

test('programs that follow each other write their ids into one file', async () => {
  const file = fileWith()
  for (const id of ['a', 'b']) {
    const ids = new IdFile(file)
    ids.add(id)
    await ids.end()
  }
  expect(countIds(file)).toEqual({ distinct: 2, duplicates: 0 })
})
