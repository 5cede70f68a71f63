import { SECOND_MS } from '../../src/core/duration.ts'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'
import type { FlatStorage } from '../support/flatStorage.ts'
import { VirtualClock } from './clock/virtualClock.ts'
import { Cluster } from './nodes/cluster.ts'
import { Process } from './nodes/process.ts'
import { StoreLinks } from './nodes/storeLink.ts'
import { NO_FAULTS, type RequestMade } from './plans/faults.ts'
import type { Plan, World } from './plans/plan.ts'
import { schedulePublications } from './plans/publishers.ts'
import { createWebhooks, createWorkspaces, schedulePeople } from './plans/stage.ts'
import { type Arrival, Receivers } from './receivers/receivers.ts'
import type { MemoryStore } from './store/memoryStore.ts'
import { type StoreEntry, Trace } from './trace.ts'

/** A Monday. */
const START = Date.UTC(2026, 0, 5)
/** How often the memory of processes is recorded. */
const LOOK_EVERY_MS = 10 * SECOND_MS

/** On no node. */
const OUTSIDE = -1
/** The limit of steps in one millisecond. */
const MOST_JUMPS = 100_000

const SERVED = [contentService(), adsService()]

export interface Simulated {
  /** Unix ms. */
  readonly startedAt: number
  readonly endedAt: number
  /** Requests as receivers saw them, in order. */
  readonly arrivals: readonly Arrival[]
  readonly trace: Trace
  /** Warnings and errors of the engines' logs, except those about webhooks. */
  readonly complaints: readonly string[]
  /** CPU time of the simulation, for information. */
  readonly cpuMs: number
}

/** The store of a simulation. */
export interface SimulatedStore {
  readonly storage: FlatStorage
  /** The model; `null`: it is a real one. */
  readonly model: MemoryStore | null
}

/** Dependencies of a model. */
export interface StoreSurroundings {
  readonly now: () => number
  readonly note: (entry: StoreEntry) => void
}

/**
 * Drives real engines and real senders through a plan. Simulated are the time, the receivers, the store and
 * the connection to it; the engines' own timers fire as in a service that runs for as long.
 * @param inspect called once the engines have stopped
 */
export async function simulate(
  plan: Plan,
  openStore: (surroundings: StoreSurroundings) => SimulatedStore,
  inspect: (world: World) => Promise<void> = async () => {},
): Promise<Simulated> {
  const usedBefore = process.cpuUsage()
  const stage = setUp(plan, openStore)
  const { clock, cluster, links, receivers, trace, complaints } = stage
  const { nodes } = stage.faults
  const loop = new EventLoop(clock, links, receivers)
  const endedAt = START + plan.lastsMs

  await loop.through(Promise.all(Array.from({ length: nodes }, (_, node) => cluster.start(node))))
  const { engine } = cluster
  // An outside observer is a process without faults.
  const storage = links.linkOf(
    new Process(clock, 'simulation', { number: 0, node: OUTSIDE, clockError: { aheadMs: 0 } }),
  )
  const workspaces = await loop.through(createWorkspaces(plan, engine, storage))
  const webhooks = await loop.through(createWebhooks(plan, engine, workspaces))
  const world: World = {
    ...{ cluster, storage, clock, workspaces, webhooks },
    get engine() {
      return cluster.engine
    },
  }
  schedulePublications(plan, world, trace)
  schedulePeople(plan, world)
  scheduleIncidents(stage)
  scheduleLooks(stage, plan.lastsMs)
  await loop.run(endedAt)
  await loop.through(cluster.stop())
  await loop.through(inspect(world))
  const { arrivals } = receivers
  const { user, system } = process.cpuUsage(usedBefore)
  return { startedAt: START, endedAt, arrivals, trace, complaints, cpuMs: (user + system) / 1000 }
}

type Stage = ReturnType<typeof setUp>

function setUp(plan: Plan, openStore: (surroundings: StoreSurroundings) => SimulatedStore) {
  const { draws, service, faults = NO_FAULTS, maxInFlight = 512, maxInFlightPerWebhook = 10 } = plan
  const clock = new VirtualClock(START)
  const trace = new Trace(() => clock.now())
  const complaints: string[] = []
  const storeClock = { aheadMs: 0 }
  const storeNow = () => clock.now() + storeClock.aheadMs
  const { storage, model } = openStore({ now: storeNow, note: (entry) => trace.note(entry) })
  let news = 0
  const links = new StoreLinks({
    ...{ clock, storage, model, storeNow, trace },
    fateOf: faults.fateOf,
    announceMs: faults.nodes === 1 ? null : ({ number }) => faults.announceMs(number, news++),
    onKilled: (process) => cluster.kill(process),
  })
  /** The data of each request until its answer. */
  const requests = new WeakMap<Arrival, RequestMade>()
  const killAt = (moment: 'request' | 'answer', arrival: Arrival) => {
    const process = cluster.byNumber(arrival.process)
    const made = requests.get(arrival)
    if (process !== undefined && made !== undefined && faults.killsAt(made) === moment) cluster.kill(process)
  }
  const noteRequest = (arrival: Arrival) => {
    const { number, node, requests: sent } = cluster.byNumber(arrival.process)!
    requests.set(arrival, { process: number, node, number: sent, at: clock.monotonic() })
    cluster.byNumber(number)!.requests++
  }
  const wayOutOf = (node: number) => faults.wayOutOf(node, clock.monotonic())
  const receivers = new Receivers(clock, plan.answerTo, wayOutOf, {
    onSent: (arrival) => {
      trace.note({ kind: 'sent', arrival })
      noteRequest(arrival)
      killAt('request', arrival)
    },
    onUnsent: (process, receiver, event) => trace.note({ kind: 'unsent', process, receiver, event }),
    onAnswering: (arrival) => killAt('answer', arrival),
    onHeard: (arrival) => trace.note({ kind: 'heard', arrival }),
  })
  const { leaseMs, graceMs } = faults
  const cluster: Cluster = new Cluster({
    ...{ clock, links, receivers, trace, kind: faults.clocks, awayMs: faults.awayMs },
    settings: {
      dialects: service?.dialects ?? SERVED,
      ...{ maxInFlight, maxInFlightPerWebhook, leaseMs, graceMs },
    },
    randomOf: (process) => draws.stream(process - 1),
    onComplaint: (message) => complaints.push(message),
  })
  const setStoreClock = (byMs: number) => {
    storeClock.aheadMs += byMs
  }
  return { clock, trace, complaints, links, receivers, cluster, faults, setStoreClock }
}

function scheduleIncidents({ clock, trace, faults, cluster, setStoreClock }: Stage): void {
  for (const { at, text, happen } of faults.incidents) {
    clock.after(at - clock.monotonic(), () => {
      trace.note({ kind: 'fault', text })
      happen({ cluster, setStoreClock })
    })
  }
}

function scheduleLooks({ clock, trace, cluster }: Stage, lastsMs: number): void {
  const look = () => {
    for (const { number, engine } of cluster.living)
      trace.note({ kind: 'loaded', process: number, ...engine.load })
    if (clock.monotonic() < lastsMs) clock.after(LOOK_EVERY_MS, look)
  }
  clock.after(LOOK_EVERY_MS, look)
}

/** Advances simulated time as fast as all events allow. */
class EventLoop {
  readonly #clock: VirtualClock
  readonly #links: StoreLinks
  readonly #receivers: Receivers
  #done = false

  constructor(clock: VirtualClock, links: StoreLinks, receivers: Receivers) {
    this.#clock = clock
    this.#links = links
    this.#receivers = receivers
  }

  /** @param until Unix ms */
  async run(until: number): Promise<void> {
    let [now, jumps] = [0, 0]
    while (!this.#done && this.#clock.jump(until)) {
      jumps = this.#clock.now() === now ? jumps + 1 : 0
      now = this.#clock.now()
      if (jumps > MOST_JUMPS) throw new Error('time stands still: something is done again and again at once')
      await this.#quiet()
      if (!this.#links.busy) continue
      await this.#links.settle()
      await this.#quiet()
    }
  }

  /** Runs until `work` is done. */
  async through<T>(work: Promise<T>): Promise<T> {
    this.#done = false
    const end = () => {
      this.#done = true
    }
    work.then(end, end)
    await this.run(Number.POSITIVE_INFINITY)
    this.#done = false
    return work
  }

  /**
   * Lets engines do work deferred to the next turn of the event loop, and its consequences: as long as
   * requests are sent, there may be more.
   */
  async #quiet(): Promise<void> {
    for (let sent = -1; sent < this.#receivers.arrivals.length; ) {
      sent = this.#receivers.arrivals.length
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    }
  }
}
