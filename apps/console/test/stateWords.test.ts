import { expect, it } from 'vitest'
import type { Webhook } from '../src/model/webhook.ts'
import { hostOf, shownHealth, shownStatus, whyNothingIsSent } from '../src/pages/webhooks/stateWords.ts'

const webhook = (status: Webhook['status'], offReason: Webhook['offReason'] = null): Webhook => ({
  id: 'wh_1',
  url: 'https://a.example.com/',
  eventTypes: [],
  description: '',
  status,
  offReason,
  failingSince: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})

const where = (suspended: boolean, switched_off_after_s: number | null = 36 * 3_600) => ({
  suspended,
  rules: { switched_off_after_s },
  service: { features: { noun: 'webhook' as const } },
})

it('shows a webhook of a suspended workspace as paused, and one that is off as off', () => {
  expect(shownStatus(webhook('on'), true)).toBe('paused')
  expect(shownStatus(webhook('off', 'manual'), true)).toBe('off')
  expect(shownStatus(webhook('on'), false)).toBe('on')
})
it('shows a webhook that is on as failing while nothing arrives, and others by their state', () => {
  const failing = { ...webhook('on'), failingSince: '2026-01-01T00:00:00.000Z' }
  expect(shownHealth(failing, false)).toBe('failing')
  expect(shownHealth(failing, true)).toBe('paused')
  expect(shownHealth({ ...failing, status: 'off' }, false)).toBe('off')
  expect(shownHealth(webhook('on'), false)).toBe('on')
})
it('says why nothing is sent, and nothing where all is well', () => {
  expect(whyNothingIsSent(webhook('on'), where(false))).toBeNull()
  expect(whyNothingIsSent(webhook('off', 'gone'), where(false))).toContain('410')
  expect(whyNothingIsSent(webhook('off', 'failing'), where(false))).toContain('36 hours')
  expect(whyNothingIsSent(webhook('off', 'failing'), where(false, null))).toContain('too long')
  expect(whyNothingIsSent(webhook('off', 'manual'), where(false))).toContain('switched it off')
  expect(whyNothingIsSent(webhook('paused'), where(false))).toContain('Somebody')
  expect(whyNothingIsSent(webhook('paused'), where(true))).toContain('operator')
})
it('names the host of a URL, with its port where it has one', () => {
  expect(hostOf('https://a.example.com:8443/x?y')).toBe('a.example.com:8443')
  expect(hostOf('no url')).toBe('no url')
})
