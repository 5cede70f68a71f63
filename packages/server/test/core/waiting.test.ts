import { expect, test } from 'vitest'
import { type PendingFacts, whyPending } from '../../src/core/waiting.ts'

const NOW = 1_000_000
const POLICY = { waitsMs: [5_000, 300_000], jitter: 0.1 }
const DUE: PendingFacts = {
  nextAttemptAt: NOW,
  attempts: 0,
  runStart: 0,
  attemptedAt: null,
  leased: false,
  othersLeased: false,
  limited: false,
  webhookStatus: 'on',
  suspended: false,
}
/** After its second attempt, which ended a second ago. */
const FAILED = { ...DUE, attempts: 2, attemptedAt: NOW - 1_000 }

test.each<[string, Partial<PendingFacts> | PendingFacts, boolean, string]>([
  ['due', DUE, false, 'turn'],
  ['due while other requests of its webhook are under way', { ...DUE, othersLeased: true }, false, 'places'],
  ['due while nothing can be sent', DUE, true, 'sender'],
  ['due to a webhook with a limit', { ...DUE, othersLeased: true, limited: true }, false, 'limit'],
  ['held by a node', { ...DUE, leased: true }, false, 'attempt'],
  ['waiting as long as the schedule says', { ...FAILED, nextAttemptAt: NOW + 329_000 }, false, 'retry'],
  ['waiting longer than that', { ...FAILED, nextAttemptAt: NOW + 331_000 }, false, 'retry_after'],
  ['waiting while nothing can be sent', { ...FAILED, nextAttemptAt: NOW + 9 }, true, 'retry'],
  [
    'waiting in a run that began again',
    { ...FAILED, attempts: 9, runStart: 8, nextAttemptAt: NOW + 60_000 },
    false,
    'retry_after',
  ],
  ['of a paused webhook', { ...FAILED, webhookStatus: 'paused' }, true, 'paused'],
  ['of a suspended workspace', { ...DUE, webhookStatus: 'paused', suspended: true }, true, 'suspended'],
])('a pending delivery that is %s says why', (_, pending, sendingHeld, reason) => {
  expect(whyPending({ ...DUE, ...pending }, POLICY, sendingHeld, NOW)).toBe(reason)
})
