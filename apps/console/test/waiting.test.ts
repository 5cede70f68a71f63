import { expect, it } from 'vitest'
import { type OldestPending, waitText } from '../src/model/waiting.ts'

const oldest = (reason: OldestPending['reason']): OldestPending => ({
  webhook_id: 'wh_1',
  delivery_id: 'dlv_1',
  created_at: '2026-03-04T10:00:00.000Z',
  next_attempt_at: '2026-03-04T12:30:00.000Z',
  attempts: 3,
  reason,
})
const timeText = (at: string) => at.slice(11, 16)

it('says that a time is only that of the oldest delivery where others are pending', () => {
  expect(waitText(oldest('retry'), timeText, 30)).toBe(
    'waits for attempt 4 at 12:30. Others may be sent sooner',
  )
  expect(waitText(oldest('retry'), timeText, 1)).toBe('waits for attempt 4 at 12:30')
  expect(waitText(oldest('retry_after'), timeText, 2)).toBe(
    'waits for attempt 4 at 12:30, as requested by the receiver (Retry-After). Others may be sent sooner',
  )
})

it('does not mention others where no time is given', () => {
  expect(waitText(oldest('paused'), timeText, 30)).toBe('waits until its webhook is resumed')
})
