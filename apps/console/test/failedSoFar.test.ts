import { describe, expect, it } from 'vitest'
import { type Attempt, arrivedAgain, type Delivery, failedLast } from '../src/model/delivery.ts'
import { failedSoFarText, othersText } from '../src/model/failedSoFar.ts'

const AT = '2026-03-04T10:00:00.000Z'
const FAILED = { code: 'http_status', message: 'HTTP 500' }

const attempt = (trigger: Attempt['trigger'], error: Attempt['error']): Attempt => ({
  number: 1,
  trigger,
  startedAt: AT,
  durationMs: 5,
  statusCode: error === null ? 204 : 500,
  error,
  cause: null,
  response: null,
  request: null,
})

const delivery = (status: Delivery['status'], ...attempts: Attempt[]): Delivery => ({
  id: 'dlv_1',
  webhookId: 'wh_1',
  eventId: 'evt_1',
  eventType: 'order.paid',
  status,
  cancelReason: null,
  waitingFor: null,
  nextAttemptAt: null,
  createdAt: AT,
  finishedAt: null,
  attempts,
  requestBody: null,
})

const count = (number: number, more = false) => ({ count: number, more })

it('says that deliveries with failed attempts are pending', () => {
  expect(failedSoFarText(count(30))).toBe(
    'No matching delivery has used all of its attempts. 30 are pending after a failed attempt.',
  )
  expect(failedSoFarText(count(1))).toMatch(/ 1 is pending after a failed attempt\.$/)
  expect(failedSoFarText(count(1, true))).toMatch(/ At least 1 are pending after a failed attempt\.$/)
})

describe('what is left to recover', () => {
  const words = { noun: 'webhook', failedWord: 'failed' }

  it('is counted by state', () => {
    expect(othersText({ failed: count(29), pending: count(1) }, words)).toBe(
      'This webhook has 29 other failed deliveries and 1 delivery pending after a failed attempt.',
    )
    expect(
      othersText({ failed: count(100, true), pending: count(0) }, { noun: 'endpoint', failedWord: 'dead' }),
    ).toBe('This endpoint has at least 100 other dead deliveries.')
    expect(othersText({ failed: count(0), pending: count(2) }, words)).toBe(
      'This webhook has 2 deliveries pending after a failed attempt.',
    )
  })

  it('is empty where all is well', () => {
    expect(othersText({ failed: count(0), pending: count(0, true) }, words)).toBeNull()
  })
})

it('distinguishes a delivery that arrived after a manual retry', () => {
  const failed = attempt('schedule', FAILED)
  expect(arrivedAgain(delivery('delivered', failed, attempt('redeliver', null)))).toBe(true)
  expect(arrivedAgain(delivery('delivered', failed, attempt('schedule', null)))).toBe(false)
  expect(arrivedAgain(delivery('delivered', attempt('test', null)))).toBe(false)
  expect(arrivedAgain(delivery('failed', attempt('redeliver', FAILED)))).toBe(false)
  expect(arrivedAgain(delivery('pending'))).toBe(false)
})

it('distinguishes deliveries whose latest attempt failed from those that wait for their first', () => {
  expect(failedLast(delivery('pending', attempt('schedule', FAILED)))).toBe(true)
  expect(failedLast(delivery('pending', attempt('schedule', null)))).toBe(false)
  expect(failedLast(delivery('pending'))).toBe(false)
})
