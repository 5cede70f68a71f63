import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AttemptOutcome, DeliveryStatus, Progress } from '../../src/core/delivery.ts'
import { nextTrigger } from '../../src/core/delivery.ts'
import type { Dialect } from '../../src/core/dialect.ts'
import { HOUR_MS } from '../../src/core/duration.ts'
import { applySignal, type Health, type OffReason } from '../../src/core/health.ts'
import { attemptsAllowed, judge } from '../../src/core/policy.ts'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'
import { toyDialect } from '../support/toyDialect.ts'

interface Delivery {
  status: DeliveryStatus
  progress: Progress
  nextAttemptAt: number | null
  /** Outcomes of the current run. */
  run: ('ok' | 'fail' | 'gone')[]
}

type Step =
  | { readonly do: 'publish' | 'pause' | 'resume' | 'off' | 'on' | 'delete' }
  | { readonly do: 'attempt'; readonly result: 'ok' | 'fail' | 'gone'; readonly random: number }
  | { readonly do: 'redeliver' | 'replay'; readonly pick: number }

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const attempt = fc.record({
  do: fc.constant('attempt' as const),
  result: fc.constantFrom('ok' as const, 'fail' as const, 'fail' as const, 'fail' as const, 'gone' as const),
  random,
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'publish' as const }) },
  { weight: 12, arbitrary: attempt },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('pause' as const, 'resume' as const, 'off' as const, 'on' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('redeliver' as const, 'replay' as const),
      pick: fc.nat({ max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'delete' as const }) },
)

/** One webhook and its deliveries: the rules of the pure core, with the store's transitions around them. */
class World {
  readonly dialect: Dialect
  readonly deliveries: Delivery[] = []
  now = Date.UTC(2026, 0, 1)
  health: Health = { on: true, failingSince: null, warned: false }
  offReason: OffReason | null = null
  paused = false
  deleted = false
  warningsOfSpell = 0

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  take(step: Step): void {
    if (this.deleted) return
    switch (step.do) {
      case 'publish':
        if (this.health.on && !this.paused) this.#begin()
        break
      case 'pause':
        this.paused = this.health.on
        break
      case 'resume':
        this.paused = false
        break
      case 'off':
        if (this.health.on) this.#disable('manual')
        break
      case 'on':
        if (!this.health.on) this.#enable()
        break
      case 'delete':
        this.deleted = true
        this.#cancelPending()
        break
      case 'attempt':
        this.#attempt(step.result, step.random)
        break
      default:
        this.#resend(step.do, step.pick)
    }
  }

  #begin(): void {
    this.deliveries.push({
      status: 'pending',
      progress: { attempts: 0, trigger: 'schedule', runStart: 0, retryNumber: null },
      nextAttemptAt: this.now,
      run: [],
    })
  }

  #attempt(result: 'ok' | 'fail' | 'gone', random: number): void {
    const due = this.deliveries
      .filter(({ status }) => status === 'pending')
      .sort((a, b) => a.nextAttemptAt! - b.nextAttemptAt!)[0]
    if (due === undefined || this.paused || !this.health.on) return
    this.now = Math.max(this.now, due.nextAttemptAt!)
    due.run.push(result)
    const { policy } = this.dialect
    const trigger = nextTrigger(due.progress)
    expect(trigger).toBe(due.run.length === 1 ? due.progress.trigger : 'schedule')
    const verdict = judge({
      policy,
      progress: due.progress,
      outcome: outcomeOf(result),
      finishedAt: this.now,
      random,
    })
    Object.assign(due, { status: verdict.status, nextAttemptAt: verdict.nextAttemptAt })
    due.progress = { ...due.progress, attempts: due.progress.attempts + 1 }
    const change = applySignal({
      health: this.health,
      signal: verdict.signal,
      policy: policy.health,
      failedAt: this.now,
      now: this.now,
    })
    this.health = change.health
    if (result === 'ok') this.warningsOfSpell = 0
    if (change.warn) this.warningsOfSpell++
    if (change.off !== null) this.#disable(change.off)
  }

  #resend(trigger: 'redeliver' | 'replay', pick: number): void {
    const from: readonly DeliveryStatus[] =
      trigger === 'replay' ? ['dead'] : ['delivered', 'failed', 'canceled']
    const finished = this.deliveries.filter(({ status }) => from.includes(status))
    const delivery = finished[pick % Math.max(1, finished.length)]
    if (delivery === undefined || this.paused || !this.health.on) return
    const { attempts } = delivery.progress
    Object.assign(delivery, { status: 'pending', nextAttemptAt: this.now, run: [] })
    delivery.progress = { attempts, trigger, runStart: attempts, retryNumber: null }
  }

  #disable(reason: OffReason): void {
    this.health = { ...this.health, on: false }
    this.offReason = reason
    this.paused = false
    this.#cancelPending()
  }

  #enable(): void {
    this.health = { on: true, failingSince: null, warned: false }
    this.offReason = null
    this.warningsOfSpell = 0
  }

  #cancelPending(): void {
    for (const delivery of this.deliveries) {
      if (delivery.status === 'pending') Object.assign(delivery, { status: 'canceled', nextAttemptAt: null })
    }
  }
}

function outcomeOf(result: 'ok' | 'fail' | 'gone'): AttemptOutcome {
  const statusCode = { ok: 204, fail: 500, gone: 410 }[result]
  const error =
    result === 'ok' ? null : ({ code: 'http_status', fault: 'status', message: 'refused' } as const)
  return { error, statusCode, contentType: null, body: null, retryAfter: null, newConnection: true }
}

function checkDelivery({ policy }: Dialect, { status, progress, nextAttemptAt, run }: Delivery): void {
  const allowed = attemptsAllowed(policy, progress)
  const ending = run.at(-1)
  expect(progress.attempts - progress.runStart).toBe(run.length)
  expect(run.length).toBeLessThanOrEqual(allowed)
  expect(nextAttemptAt === null).toBe(status !== 'pending')
  // A success is the last attempt of its run, and so is a 410 where it ends deliveries.
  expect(run.slice(0, -1)).not.toContain('ok')
  if (policy.goneEndsDelivery) expect(run.slice(0, -1)).not.toContain('gone')
  if (status === 'delivered') expect(ending).toBe('ok')
  if (status === 'pending') {
    expect(ending).not.toBe('ok')
    expect(run.length).toBeLessThan(allowed)
  }
  if (status === 'failed' || status === 'dead') {
    expect(status).toBe(policy.exhaustedStatus)
    expect(run.length === allowed || (policy.goneEndsDelivery && ending === 'gone')).toBe(true)
  }
}

function checkWorld(world: World): void {
  const { policy } = world.dialect
  for (const delivery of world.deliveries) checkDelivery(world.dialect, delivery)
  const pending = world.deliveries.filter(({ status }) => status === 'pending').length
  if (!world.health.on || world.deleted) expect(pending).toBe(0)
  expect(world.offReason === null).toBe(world.health.on)
  if (world.offReason === 'gone') expect(policy.health.goneDisables).toBe(true)
  if (world.offReason === 'failing') {
    expect(world.now - world.health.failingSince!).toBeGreaterThanOrEqual(policy.health.disableAfterMs!)
  }
  expect(world.warningsOfSpell).toBeLessThanOrEqual(policy.health.warnAfterMs === null ? 0 : 1)
}

test.each([
  ['content', contentService()],
  ['ads', adsService()],
  ['a third service', toyDialect],
])('no sequence of steps brings a webhook or delivery of %s into an impossible state', (_, dialect) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const world = new World(dialect)
      for (const step of steps) {
        world.take(step)
        checkWorld(world)
      }
    }),
    { numRuns: 500 },
  )
})

test('a receiver that only fails costs a content delivery 8 attempts, and its webhook one warning and then its disabling', () => {
  const world = new World(contentService())
  world.take({ do: 'publish' })
  const startedAt = world.now
  for (let i = 0; i < 8; i++) world.take({ do: 'attempt', result: 'fail', random: 0.5 })
  expect(world.deliveries[0]).toMatchObject({ status: 'failed', progress: { attempts: 8 } })
  expect(world.now - startedAt).toBeGreaterThan(24 * HOUR_MS)
  expect([world.offReason, world.warningsOfSpell]).toEqual(['failing', 1])
})
