import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../support/program.ts'
import { eventually } from '../../support/waiting.ts'
import {
  COUNTING_RECEIVER,
  type CountingReceiverStart,
  type FromCountingReceiver,
  type ToCountingReceiver,
} from '../programs/countingReceiver.ts'
import type { Stage } from '../stage/stage.ts'

export type Receiver = Program<ToCountingReceiver, FromCountingReceiver>

/** Until the code is compiled and connections are open. */
export const WARM_UP_DELIVERIES = 50_000
const WARM_UP_WITHIN_MS = 120_000
const DRAIN_WITHIN_MS = 60_000

export async function startCountingReceiver(
  stage: Stage,
  idsFile: string,
): Promise<{ readonly receiver: Receiver; readonly origin: string }> {
  const start: CountingReceiverStart = { idsFile, identity: stage.identity }
  const receiver: Receiver = stage.start(COUNTING_RECEIVER, start)
  const { port } = await receiver.next('listening')
  return { receiver, origin: stage.originOf(port) }
}

export interface Window {
  readonly warmUpDeliveries: number
  readonly seconds: number
}

/** Deliveries until an instant, ms on a clock that is monotonic. */
export interface Count {
  readonly deliveries: number
  readonly atMs: number
}

/**
 * Waits for the warm-up, then counts for a while. Samples at both ends.
 * @param check throws when the warm-up can no longer finish
 */
export async function countDuring<S>(
  count: () => Promise<Count>,
  window: Window,
  sample: () => Promise<S> | S,
  check: () => void = () => {},
) {
  const isWarm = async () => {
    check()
    return (await count()).deliveries >= window.warmUpDeliveries ? true : null
  }
  await eventually(isWarm, {
    withinMs: WARM_UP_WITHIN_MS,
    everyMs: 50,
    what: 'warm-up',
  })
  const before = { ...(await count()), sample: await sample() }
  await sleep(window.seconds * 1000)
  const after = { ...(await count()), sample: await sample() }
  return {
    deliveries: after.deliveries - before.deliveries,
    seconds: (after.atMs - before.atMs) / 1000,
    before: before.sample,
    after: after.sample,
  }
}

/** Over all receivers. */
export async function countOf(receivers: readonly Receiver[]): Promise<Count> {
  const counts = await Promise.all(receivers.map((receiver) => receiver.ask({ kind: 'count' }, 'count')))
  return {
    deliveries: counts.reduce((total, { deliveries }) => total + deliveries, 0),
    atMs: Math.max(...counts.map(({ atMs }) => atMs)),
  }
}

/**
 * Waits for acknowledged events that are not yet received; those that never arrive are counted as lost by id.
 */
export async function drain(receiver: Receiver, acknowledged: number): Promise<void> {
  await eventually(
    async () => ((await receiver.ask({ kind: 'count' }, 'count')).deliveries >= acknowledged ? true : null),
    { withinMs: DRAIN_WITHIN_MS, everyMs: 50, what: 'last deliveries' },
  ).catch(() => undefined)
}
