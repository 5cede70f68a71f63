import { expect, it } from 'vitest'
import type { Attempt, Delivery } from '../src/model/delivery.ts'
import { newestFailure } from '../src/model/newestFailure.ts'

const attempt = (minute: number, given: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  trigger: 'schedule',
  startedAt: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`,
  durationMs: 5,
  statusCode: 500,
  error: { code: 'http_status', message: '' },
  cause: 'receiver',
  response: null,
  request: null,
  ...given,
})

const delivery = (id: string, ...attempts: readonly Attempt[]): Delivery => ({
  id,
  webhookId: 'wh_1',
  eventId: 'evt_1',
  eventType: 'a',
  status: 'pending',
  cancelReason: null,
  nextAttemptAt: null,
  waitingFor: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  finishedAt: null,
  attempts,
  requestBody: null,
})

it('is that of the delivery that failed last, whatever the order of the list', () => {
  const rows = [delivery('new', attempt(3)), delivery('old', attempt(1), attempt(5)), delivery('none')]
  expect(newestFailure(rows)).toMatchObject({ delivery: { id: 'old' }, attempt: attempt(5) })
})

it('is absent where the latest attempts arrived, were tests, or failed because of the service itself', () => {
  expect(
    newestFailure([
      delivery('arrived', attempt(1), attempt(2, { error: null, statusCode: 204, cause: null })),
      delivery('test', attempt(3, { trigger: 'test' })),
      delivery('ours', attempt(4, { cause: 'sender' })),
    ]),
  ).toBeNull()
})
