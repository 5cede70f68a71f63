import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../support/program.ts'
import { eventually } from '../../support/waiting.ts'
import type { Hook } from '../load/prepareLoad.ts'
import { ID_HEADER } from '../programs/countingReceiver.ts'
import {
  type FromMeasuringReceiver,
  MEASURING_RECEIVER,
  type MeasuringReceiverStart,
  type Received,
  type ToMeasuringReceiver,
} from '../programs/measuringReceiver.ts'
import {
  type FromPacedPublisher,
  PACED_PUBLISHER,
  type PacedPublisherStart,
  type Stream,
  type ToPacedPublisher,
} from '../programs/pacedPublisher.ts'
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

/** A stream of single events for each webhook, all at the same pace; of the group that the webhooks are of. */
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

/** A publisher in a process of its own, which publishes from its start on. */
export class PacedPublisher {
  readonly #program: Program<ToPacedPublisher, FromPacedPublisher>
  readonly #check: () => void

  private constructor(program: Program<ToPacedPublisher, FromPacedPublisher>) {
    this.#program = program
    this.#check = watchFailures(program, 'publish')
  }

  /**
   * @param idsFile where the ids of what was acknowledged go; `null`: nowhere
   * @param goesOn whether a publish that fails is counted, and does not end the run
   */
  static async start(
    stage: Stage,
    url: string,
    streams: readonly Stream[],
    idsFile: string | null,
    goesOn = false,
  ): Promise<PacedPublisher> {
    const start: PacedPublisherStart = {
      url,
      streams,
      idsFile,
      goesOn,
      connections: CONNECTIONS,
      ca: stage.identity?.cert ?? null,
    }
    const program = stage.start<ToPacedPublisher, FromPacedPublisher>(PACED_PUBLISHER, start)
    const publisher = new PacedPublisher(program)
    await program.next('ready')
    return publisher
  }

  get pid(): number {
    return this.#program.pid
  }

  /** Every stream publishes once, beside its pace. */
  once(): void {
    this.#program.send({ kind: 'once' })
  }

  /** Latencies are counted from here on. @throws BenchError when a publish has failed */
  begin = () => this.#ask({ kind: 'begin' }, 'begun')

  /** @throws BenchError when a publish has failed */
  count = () => this.#ask({ kind: 'count' }, 'count')

  /** Publishes nothing more. Resolves when all is answered. @throws BenchError when a publish has failed */
  finish = () => this.#ask({ kind: 'finish' }, 'finished')

  async #ask<K extends 'begun' | 'count' | 'finished'>(question: ToPacedPublisher, kind: K) {
    const answer = await this.#program.ask(question, kind)
    this.#check()
    return answer
  }
}

export interface PacedWindow {
  readonly warmUpSeconds: number
  readonly seconds: number
}

/** A window that is as long as something else takes. */
export interface Stretch<T> {
  readonly warmUpSeconds: number
  readonly during: () => Promise<T>
}

export interface PacedResult {
  /** By group: from when it was due to the answer, and to the receiver. */
  readonly acknowledged: Readonly<Record<string, Spread>>
  readonly received: Received
  /** What of both is the publisher's own. */
  readonly lateness: Readonly<Record<string, Spread>>
  /** Events, since the start. */
  readonly published: number
  /** Publishes that failed, by status or error, since the start. */
  readonly failed: Readonly<Record<string, number>>
}

/**
 * Lets a publisher go on for a while, then stops it, and the ids of its receiver.
 * @param awaited how many requests the receiver is to accept in the end, of so many acknowledged events; what never comes is for
 * the caller to miss
 */
export async function measurePaced(
  publisher: PacedPublisher,
  receiver: MeasuringReceiver,
  { warmUpSeconds, seconds }: PacedWindow,
  awaited?: (acknowledged: number) => number,
): Promise<PacedResult> {
  const during = () => sleep(seconds * 1000)
  const { result } = await measureWhile(publisher, receiver, { warmUpSeconds, during }, awaited)
  await receiver.ask({ kind: 'finish' }, 'finished')
  return result
}

/**
 * Lets a publisher go on until something else has come to its end, then stops it; its receiver may hear from others
 * afterwards.
 * @returns `meanwhile`: what the something else came to
 */
export async function measureWhile<T>(
  publisher: PacedPublisher,
  receiver: MeasuringReceiver,
  { warmUpSeconds, during }: Stretch<T>,
  awaited: (acknowledged: number) => number = (acknowledged) => acknowledged,
): Promise<{ readonly result: PacedResult; readonly meanwhile: T }> {
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

/** Waits until the receiver has accepted so many requests since its start; what never comes is for the caller to miss. */
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
