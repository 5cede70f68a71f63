import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../support/program.ts'
import { eventually } from '../../support/waiting.ts'
import type { Hook } from '../load/prepareLoad.ts'
import { ID_HEADER } from '../programs/countingReceiver.ts'
import {
  FIXED_RATE_PUBLISHER,
  type FixedRatePublisherStart,
  type FromFixedRatePublisher,
  type Stream,
  type ToFixedRatePublisher,
} from '../programs/fixedRatePublisher.ts'
import {
  type FromMeasuringReceiver,
  MEASURING_RECEIVER,
  type MeasuringReceiverStart,
  type Received,
  type ToMeasuringReceiver,
} from '../programs/measuringReceiver.ts'
import type { Stage } from '../stage/stage.ts'
import { watchFailures } from './failures.ts'
import type { Spread } from './latencies.ts'

export type MeasuringReceiver = Program<ToMeasuringReceiver, FromMeasuringReceiver>

const CONNECTIONS = 64
const DRAIN_WITHIN_MS = 60_000

export async function startMeasuringReceiver(
  stage: Stage,
  { idsFile, idHeader = ID_HEADER }: { readonly idsFile: string | null; readonly idHeader?: string },
): Promise<{ readonly receiver: MeasuringReceiver; readonly origin: string }> {
  const start: MeasuringReceiverStart = { identity: stage.identity, idsFile, idHeader }
  const receiver: MeasuringReceiver = stage.start(MEASURING_RECEIVER, start)
  const { port } = await receiver.next('listening')
  return { receiver, origin: stage.originOf(port) }
}

/** A stream of single events for each webhook, all at the same rate, in the group of the webhooks. */
export function singlesOf(hooks: readonly Hook[], eventsPerSecond: number): Stream[] {
  return hooks.map(({ path, publishPath, key, event }) => ({
    group: path.split('/', 2)[1]!,
    path: publishPath,
    key,
    template: JSON.stringify(event),
    events: 1,
    requestsPerSecond: eventsPerSecond / hooks.length,
  }))
}

/** A publisher in its own process, which publishes from its start on. */
export class FixedRatePublisher {
  readonly #program: Program<ToFixedRatePublisher, FromFixedRatePublisher>
  readonly #check: () => void

  private constructor(program: Program<ToFixedRatePublisher, FromFixedRatePublisher>) {
    this.#program = program
    this.#check = watchFailures(program, 'publish')
  }

  /**
   * @param idsFile file for the ids of acknowledged events; `null`: none
   * @param goesOn whether a failed publish is counted instead of ending the run
   */
  static async start(
    stage: Stage,
    url: string,
    streams: readonly Stream[],
    idsFile: string | null,
    goesOn = false,
  ): Promise<FixedRatePublisher> {
    const start: FixedRatePublisherStart = {
      url,
      streams,
      idsFile,
      goesOn,
      connections: CONNECTIONS,
      ca: stage.identity?.cert ?? null,
    }
    const program = stage.start<ToFixedRatePublisher, FromFixedRatePublisher>(FIXED_RATE_PUBLISHER, start)
    const publisher = new FixedRatePublisher(program)
    await program.next('ready')
    return publisher
  }

  get pid(): number {
    return this.#program.pid
  }

  /** Every stream publishes one extra event. */
  once(): void {
    this.#program.send({ kind: 'once' })
  }

  /** Starts counting latencies. @throws BenchError when a publish has failed */
  begin = () => this.#ask({ kind: 'begin' }, 'begun')

  /** @throws BenchError when a publish has failed */
  count = () => this.#ask({ kind: 'count' }, 'count')

  /**
   * Stops publishing. Resolves when all requests are answered. @throws BenchError when a publish has failed
   */
  finish = () => this.#ask({ kind: 'finish' }, 'finished')

  async #ask<K extends 'begun' | 'count' | 'finished'>(question: ToFixedRatePublisher, kind: K) {
    const answer = await this.#program.ask(question, kind)
    this.#check()
    return answer
  }
}

export interface FixedRateWindow {
  readonly warmUpSeconds: number
  readonly seconds: number
}

/** A window that lasts as long as another task. */
export interface Stretch<T> {
  readonly warmUpSeconds: number
  readonly during: () => Promise<T>
}

export interface FixedRateResult {
  /** By group: from when it was due to the answer, and to the receiver. */
  readonly acknowledged: Readonly<Record<string, Spread>>
  readonly received: Received
  /** The part of both that the publisher itself caused. */
  readonly lateness: Readonly<Record<string, Spread>>
  /** Events since the start. */
  readonly published: number
  /** Failed publishes since the start, by status or error. */
  readonly failed: Readonly<Record<string, number>>
}

/**
 * Lets a publisher run for a while, then stops it and the id recording of its receiver.
 * @param awaited how many requests the receiver must accept, for a number of acknowledged events; the caller
 * reports those that never arrive
 */
export async function measureAtFixedRate(
  publisher: FixedRatePublisher,
  receiver: MeasuringReceiver,
  { warmUpSeconds, seconds }: FixedRateWindow,
  awaited?: (acknowledged: number) => number,
): Promise<FixedRateResult> {
  const during = () => sleep(seconds * 1000)
  const { result } = await measureWhile(publisher, receiver, { warmUpSeconds, during }, awaited)
  await receiver.ask({ kind: 'finish' }, 'finished')
  return result
}

/**
 * Lets a publisher run until another task ends, then stops it; its receiver may get other requests
 * afterwards.
 * @returns `meanwhile`: the result of the task
 */
export async function measureWhile<T>(
  publisher: FixedRatePublisher,
  receiver: MeasuringReceiver,
  { warmUpSeconds, during }: Stretch<T>,
  awaited: (acknowledged: number) => number = (acknowledged) => acknowledged,
): Promise<{ readonly result: FixedRateResult; readonly meanwhile: T }> {
  await sleep(warmUpSeconds * 1000)
  await Promise.all([publisher.begin(), receiver.ask({ kind: 'begin' }, 'done')])
  const meanwhile = await during()
  const { acknowledged, latencies, lateness, failed } = await publisher.finish()
  const received = await acceptedBy(receiver, awaited(acknowledged))
  return {
    result: { acknowledged: latencies, lateness, received, published: acknowledged, failed },
    meanwhile,
  }
}

/**
 * Waits until the receiver has accepted this many requests since its start; the caller reports those that
 * never arrive.
 */
export async function acceptedBy(
  receiver: MeasuringReceiver,
  requests: number,
  withinMs = DRAIN_WITHIN_MS,
): Promise<Received> {
  const report = () => receiver.ask({ kind: 'report' }, 'report')
  const enough = async () => {
    const { accepted } = await report()
    return Object.values(accepted).reduce((total, one) => total + one, 0) >= requests ? true : null
  }
  const patience = { withinMs, everyMs: 20, what: 'last deliveries' }
  await eventually(enough, patience).catch(() => undefined)
  return report()
}
