import { pino } from 'pino'
import { expect, test } from 'vitest'
import { logTrail } from '../../src/cli/logTrail.ts'
import type { Attempt } from '../../src/storage/rows.ts'

const ATTEMPT = {
  number: 1,
  trigger: 'schedule',
  statusCode: 200,
  errorCode: null,
  durationMs: 12.4,
} as Attempt

function traced(level: string) {
  const lines: string[] = []
  const logger = pino({ base: null, level }, { write: (line: string) => void lines.push(line) })
  return { logger, lines, trail: logTrail(logger) }
}

test('one search for a request id finds the request, its events and their attempts', () => {
  const { trail, lines } = traced('debug')
  trail.published('req_7', 'ws_1', ['evt_1', 'evt_2'])
  trail.answered({ requestId: 'req_7', method: 'POST', route: '/v1/events', status: 202, durationMs: 3 })
  trail.attempted({ eventId: 'evt_2', deliveryId: 'del_9' }, ATTEMPT)
  trail.attempted({ eventId: 'evt_of_another_node', deliveryId: 'del_8' }, ATTEMPT)
  const found = lines.filter((line) => line.includes('req_7')).map((line) => JSON.parse(line))
  expect(found).toMatchObject([
    { msg: 'events published', workspace: 'ws_1', events: ['evt_1', 'evt_2'] },
    { msg: 'request answered', method: 'POST', route: '/v1/events', status: 202 },
    {
      msg: 'attempt ended',
      event: 'evt_2',
      delivery: 'del_9',
      attempt: 1,
      outcome: 'delivered',
      duration_ms: 12,
    },
  ])
  expect(lines).toHaveLength(4)
})

test('is logged only while the log level is debug, also when that changes', () => {
  const { trail, logger, lines } = traced('info')
  expect(trail.on).toBe(false)
  logger.level = 'debug'
  expect(trail.on).toBe(true)
  logger.level = 'info'
  trail.published('req_7', 'ws_1', ['evt_1'])
  expect(lines).toEqual([])
})
