import { expect, test } from 'vitest'
import { SparingLog } from '../../src/http/shared/sparingLog.ts'
import { ManualClock } from '../support/manualClock.ts'

function setUp(inFull: number) {
  const clock = new ManualClock()
  const lines: object[] = []
  const warn = (fields: object, message: string) => void lines.push({ ...fields, message })
  const log = new SparingLog({ info: warn, warn, error: warn }, clock, inFull)
  return { clock, lines, log }
}

test('of a thousand in half a minute some are logged in full, and the others as one, by their number', () => {
  const { clock, lines, log } = setUp(2)
  for (let id = 1; id <= 1000; id++) log.warn('slow', { id }, 'slow request')
  expect(lines).toEqual([
    { id: 1, message: 'slow request' },
    { id: 2, message: 'slow request' },
  ])
  clock.advance(30_000)
  expect(lines.slice(2)).toEqual([{ id: 1000, times: 998, message: 'slow request' }])
  log.warn('slow', { id: 1001 }, 'slow request')
  expect(lines[3]).toEqual({ id: 1001, message: 'slow request' })
})

test('each kind is counted by itself, and nothing is said of what was said already', () => {
  const { clock, lines, log } = setUp(1)
  log.warn('store_unavailable', { id: 1 }, 'refused')
  log.warn('stopping', { id: 2 }, 'refused')
  clock.advance(60_000)
  expect(lines).toEqual([
    { id: 1, message: 'refused' },
    { id: 2, message: 'refused' },
  ])
  expect(clock.pending).toBe(0)
})
