import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { applySignal, type Health, type HealthPolicy, type HealthSignal } from '../../src/core/health.ts'

const POLICY: HealthPolicy = {
  goneDisables: true,
  disableAfterMs: DAY_MS,
  warnAfterMs: DAY_MS / 2,
  early: null,
}
const LENIENT: HealthPolicy = {
  goneDisables: false,
  disableAfterMs: null,
  warnAfterMs: null,
  early: null,
}
const HEALTHY: Health = { on: true, failingSince: null, warned: false }
const T0 = Date.UTC(2026, 0, 1)

const failure = (health: Health, now: number, policy = POLICY) =>
  applySignal({ health, signal: 'failure', policy, failedAt: now, now })

interface Step {
  readonly signal: HealthSignal
  readonly waitMs: number
}
const steps = fc.array(
  fc.record<Step>({
    signal: fc.constantFrom('success', 'failure', 'failure', 'failure', 'failure'),
    waitMs: fc.integer({ min: 0, max: 8 * HOUR_MS }),
  }),
  { maxLength: 60 },
)

describe('a webhook that fails', () => {
  test('is failing since its first failed attempt after a success, and no longer after the next one', () => {
    fc.assert(
      fc.property(steps, (steps) => {
        let health = HEALTHY
        let now = T0
        let firstFailure: number | null = null
        for (const { signal, waitMs } of steps) {
          now += waitMs
          health = applySignal({ health, signal, policy: LENIENT, failedAt: now, now }).health
          firstFailure = signal === 'success' ? null : (firstFailure ?? now)
          expect(health.failingSince).toBe(firstFailure)
        }
      }),
    )
  })

  test('is warned about once per spell, by the first failure at 12 hours or more, and is disabled by the first at 24', () => {
    fc.assert(
      fc.property(steps, (steps) => {
        let health = HEALTHY
        let now = T0
        let warned = false
        for (const { signal, waitMs } of steps) {
          now += waitMs
          const change = applySignal({ health, signal, policy: POLICY, failedAt: now, now })
          const failingFor = signal === 'success' ? 0 : now - (health.failingSince ?? now)
          warned = warned && signal !== 'success'
          expect(change.warn).toBe(!warned && failingFor >= DAY_MS / 2 && failingFor < DAY_MS)
          expect(change.off).toBe(failingFor >= DAY_MS ? 'failing' : null)
          expect(change.health.on).toBe(change.off === null)
          if (change.off !== null) return
          warned ||= change.warn
          health = change.health
        }
      }),
    )
  })

  test('stays enabled a millisecond before 24 hours and is disabled at 24 hours exactly', () => {
    const { health } = failure(HEALTHY, T0)
    expect(failure(health, T0 + DAY_MS - 1)).toMatchObject({ off: null, warn: true })
    expect(failure(health, T0 + DAY_MS)).toMatchObject({ off: 'failing', warn: false })
  })

  test('is warned about at 12 hours exactly, not a millisecond before', () => {
    const { health } = failure(HEALTHY, T0)
    expect(failure(health, T0 + DAY_MS / 2 - 1).warn).toBe(false)
    expect(failure(health, T0 + DAY_MS / 2).warn).toBe(true)
  })

  test('is warned about again in a new spell', () => {
    const warned: Health = { on: true, failingSince: T0, warned: true }
    const recovered = applySignal({
      health: warned,
      signal: 'success',
      policy: POLICY,
      failedAt: T0,
      now: T0 + HOUR_MS,
    }).health
    expect(recovered).toEqual(HEALTHY)
    const again = failure(recovered, T0 + DAY_MS)
    expect(again.warn).toBe(false)
    expect(failure(again.health, T0 + 1.5 * DAY_MS).warn).toBe(true)
  })

  test('counts from the start of the attempt, not from its end', () => {
    const change = applySignal({
      health: HEALTHY,
      signal: 'failure',
      policy: POLICY,
      failedAt: T0 - 15_000,
      now: T0,
    })
    expect(change.health.failingSince).toBe(T0 - 15_000)
  })

  test('is never disabled under a policy that has no such rule', () => {
    const { health } = failure(HEALTHY, T0, LENIENT)
    expect(failure(health, T0 + 400 * DAY_MS, LENIENT)).toEqual({ health, off: null, warn: false })
  })
})

describe('a 410', () => {
  const gone = (health: Health, policy: HealthPolicy, now = T0) =>
    applySignal({ health, signal: 'gone', policy, failedAt: now, now })

  test('disables it at once, without a warning', () => {
    expect(gone(HEALTHY, POLICY)).toMatchObject({ off: 'gone', warn: false, health: { on: false } })
  })

  test('is named as the reason even if the webhook has failed for a day too', () => {
    expect(gone({ on: true, failingSince: T0 - 2 * DAY_MS, warned: true }, POLICY).off).toBe('gone')
  })

  test('counts as a failure where it does not disable', () => {
    expect(gone(HEALTHY, { ...POLICY, goneDisables: false })).toEqual({
      health: { on: true, failingSince: T0, warned: false },
      off: null,
      warn: false,
    })
  })
})

test('a disabled webhook stays as it is, whatever results arrive late', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<HealthSignal>('success', 'failure', 'gone'),
      fc.option(fc.integer({ min: 0, max: T0 })),
      fc.boolean(),
      (signal, failingSince, warned) => {
        const health: Health = { on: false, failingSince, warned }
        const change = applySignal({ health, signal, policy: POLICY, failedAt: T0, now: T0 })
        expect(change).toEqual({ health, off: null, warn: false })
      },
    ),
  )
})
