import { expect, it } from 'vitest'
import type { OffReason, Webhook, WebhookState } from '../src/model/webhook.ts'
import { beforeSending, shownState, whyInList, whyNothingIsSent } from '../src/pages/webhooks/stateWords.ts'

const webhook = (state: WebhookState): Webhook => ({
  id: 'wh_1',
  url: 'https://a.example.com/',
  eventTypes: [],
  description: '',
  maxPerSecond: null,
  maxInFlight: null,
  state,
  warn: null,
  snoozedUntil: null,
  alertedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})

const where = (suspended: boolean, switched_off_after_s: number | null = 36 * 3_600) => ({
  suspended,
  rules: { switched_off_after_s },
  service: { features: { noun: 'webhook' as const } },
})

const off = (reason: OffReason) => webhook({ kind: 'off', reason })
const on = webhook({ kind: 'on' })
const paused = webhook({ kind: 'paused' })
const failing = webhook({ kind: 'failing', since: '2026-01-01T00:00:00.000Z' })

it('shows a webhook of a suspended workspace as paused, and a disabled one as disabled', () => {
  expect(shownState(on, true)).toEqual(paused.state)
  expect(shownState(off('manual'), true)).toEqual(off('manual').state)
  expect(shownState(on, false)).toEqual(on.state)
})
it('shows an enabled webhook as failing while nothing arrives, and others by their state', () => {
  expect(shownState(failing, false)).toEqual(failing.state)
  expect(shownState(failing, true)).toEqual(paused.state)
})
it('says why nothing is sent, and is empty where all is well', () => {
  expect(whyNothingIsSent(on, where(false))).toBeNull()
  expect(whyNothingIsSent(failing, where(false))).toBeNull()
  expect(whyNothingIsSent(off('gone'), where(false))).toContain('410')
  expect(whyNothingIsSent(off('failing'), where(false))).toContain('36 hours')
  expect(whyNothingIsSent(off('failing'), where(false, null))).toContain('too long')
  expect(whyNothingIsSent(off('manual'), where(false))).toBe('Disabled manually.')
  expect(whyNothingIsSent(off(null), where(false))).toContain('This webhook is disabled')
  expect(whyNothingIsSent(paused, where(false))).toBe('Paused.')
  expect(whyNothingIsSent(paused, where(false), { type: 'key', name: null })).toBe('Paused by an API key.')
  expect(whyNothingIsSent(paused, where(false), { type: 'operator', name: null })).toBe(
    'Paused by an operator of the service.',
  )
  expect(whyNothingIsSent(paused, where(true))).toContain('operator')
})
it('omits from a list what the badge already says', () => {
  expect(whyInList(on, where(false))).toBeNull()
  expect(whyInList(paused, where(false))).toBeNull()
  expect(whyInList(off(null), where(false))).toBeNull()
  expect(whyInList(off('manual'), where(false))).toBe('Disabled manually.')
  expect(whyInList(off('gone'), where(false))).toContain('410')
  expect(whyInList(on, where(true))).toBe('The operator has suspended the workspace.')
})
it('says what is required before a manual send', () => {
  expect(beforeSending(on, where(false), 'retry')).toBeNull()
  expect(beforeSending(failing, where(false), 'retry')).toBeNull()
  expect(beforeSending(paused, where(false), 'retry')).toBe('Resume the webhook to retry.')
  expect(beforeSending(off('gone'), where(false), 'recover')).toBe('Enable the webhook to recover.')
  expect(beforeSending(on, where(true), 'recover')).toBe('The operator has suspended the workspace.')
})
