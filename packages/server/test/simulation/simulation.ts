import type { Dialect } from '../../src/core/dialect.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/core/duration.ts'
import { DEFAULT_QUOTAS } from '../../src/core/quotas.ts'
import { ADS_DEFAULTS, adsDialect } from '../../src/dialects/ads/dialect.ts'
import { CONTENT_DEFAULTS, contentDialect } from '../../src/dialects/content/dialect.ts'
import { createEngine } from '../../src/engine/createEngine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { silentObserver } from '../../src/engine/observer.ts'
import { createSecretBox } from '../../src/engine/secretBox.ts'
import { Sender } from '../../src/engine/sender.ts'
import { Troubles } from '../../src/engine/troubles.ts'
import { Warnings } from '../../src/engine/warnings.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Plan, World } from './plan.ts'
import { type Arrival, Receivers } from './receivers.ts'
import { createWebhooks, createWorkspaces, schedulePeople, scheduleTraffic } from './stage.ts'
import { linkTo } from './storeLink.ts'
import { VirtualClock } from './virtualClock.ts'

/** A Monday. */
const START = Date.UTC(2026, 0, 5)

export interface Simulated {
  /** Unix ms. */
  readonly startedAt: number
  readonly endedAt: number
  /** What receivers saw, in that order. */
  readonly arrivals: readonly Arrival[]
  /** Warnings and errors of the engine's log, but for those about webhooks. */
  readonly complaints: readonly string[]
  /** What the simulation took of a processor, for people to read. */
  readonly cpuMs: number
}

/**
 * Drives the real engine and the real sender through a plan. Simulated are the time, the receivers, and what a commit
 * of the store takes; the engine's own timers fire as they would in a service that runs for as long.
 * @param inspect called once the engine has stopped
 */
export async function simulate(
  plan: Plan,
  storage: Storage,
  inspect: (world: World) => Promise<void> = async () => {},
): Promise<Simulated> {
  const usedBefore = process.cpuUsage()
  const clock = new VirtualClock(START)
  const link = linkTo(storage, clock)
  const receivers = new Receivers(clock, plan.answerTo)
  const complaints: string[] = []
  const engine = engineOf(plan, link.storage, clock, receivers, complaints)
  const endedAt = START + plan.lastsMs
  let done = false
  const run = async (until: number) => {
    while (!done && clock.jump(until)) {
      await quiet()
      if (!link.busy) continue
      await link.answer()
      await quiet()
    }
  }
  const through = async <T>(work: Promise<T>): Promise<T> => {
    done = false
    void work.finally(() => {
      done = true
    })
    await run(Number.POSITIVE_INFINITY)
    done = false
    return work
  }

  await through(engine.start())
  const workspaces = await through(createWorkspaces(plan, engine, link.storage))
  const webhooks = await through(createWebhooks(plan, engine, workspaces))
  const world: World = { engine, storage: link.storage, clock, workspaces, webhooks }
  scheduleTraffic(plan, world)
  schedulePeople(plan, world)
  await run(endedAt)
  await through(engine.stop())
  await through(inspect(world))
  const { arrivals } = receivers
  const { user, system } = process.cpuUsage(usedBefore)
  return { startedAt: START, endedAt, arrivals, complaints, cpuMs: (user + system) / 1000 }
}

/** Lets the engine do what it has put off to the next turn of the event loop, and what follows from that. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

function engineOf(
  { draws, maxInFlight = 512, dialects = [contentDialect(CONTENT_DEFAULTS), adsDialect(ADS_DEFAULTS)] }: Plan,
  storage: Storage,
  clock: VirtualClock,
  agent: Receivers,
  complaints: string[],
): Engine {
  const complain = (fields: object, message: string) => {
    if (!('notification' in fields)) complaints.push(message)
  }
  const senderOf = ({ name, policy: { timeoutMs } }: Dialect) =>
    [name, new Sender({ agent, clock, timeoutMs })] as const
  const log = { info() {}, warn: complain, error: complain }
  return createEngine({
    storage,
    dialects: new Map(dialects.map((dialect) => [dialect.name, dialect])),
    senders: new Map(dialects.map(senderOf)),
    secretBox: createSecretBox(new Uint8Array(32).fill(7)),
    clock,
    random: draws.stream(0),
    log,
    troubles: new Troubles(clock, log),
    onNotified() {},
    observer: silentObserver,
    limits: { maxInFlight, maxInFlightPerWebhook: 10 },
    quotas: DEFAULT_QUOTAS,
    retentionMs: 30 * DAY_MS,
    machineClock: clock,
    clockLimits: { maxLeapMs: 30 * SECOND_MS, graceMs: HOUR_MS },
    warnings: new Warnings(),
    leaseMs: 30 * SECOND_MS,
  })
}
