import { expect, it } from 'vitest'
import { nextStatus } from '../../src/core/enabledState.ts'

it.each([
  ['on', {}, 'on'],
  ['on', { enabled: true }, 'on'],
  ['on', { paused: true }, 'paused'],
  ['on', { enabled: false }, 'off'],
  ['on', { paused: false }, 'on'],
  ['paused', {}, 'paused'],
  ['paused', { enabled: true }, 'paused'],
  ['paused', { paused: false }, 'on'],
  ['paused', { enabled: false }, 'off'],
  ['paused', { enabled: true, paused: false }, 'on'],
  ['off', {}, 'off'],
  ['off', { enabled: true }, 'on'],
  ['off', { enabled: true, paused: true }, 'paused'],
  ['off', { enabled: false, paused: false }, 'off'],
] as const)('a webhook that is %s and requested as %j is then %s', (current, change, next) => {
  expect(nextStatus(current, change)).toBe(next)
})

it.each([true, false])('a disabled webhook is not resumed by only setting paused to %s', (paused) => {
  expect(nextStatus('off', { paused })).toBeNull()
})
