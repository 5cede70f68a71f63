import type { PosthornProcess } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import type { Received } from '../programs/measuringReceiver.ts'
import type { Stage } from '../stage/stage.ts'
import type { MeasuringReceiver } from './fixedRate.ts'

const WITHIN_MS = 120_000
const LOOK_EVERY_MS = 5

export interface FirstSend {
  readonly service: PosthornProcess
  /** From the start of the process to the receiver's first request. */
  readonly anyMs: number
  /** To the first request of a group that the receiver accepted. */
  readonly groupMs: number
}

/** Starts a node on a stage where deliveries are due. @throws Error when none of the group arrives in time */
export async function startUntilFirstSend(
  stage: Stage,
  receiver: MeasuringReceiver,
  group: string,
): Promise<FirstSend> {
  const report = () => receiver.ask({ kind: 'report' }, 'report')
  const acceptedOf = ({ accepted }: Received) => accepted[group] ?? 0
  const before = await report()
  const startedAt = performance.now()
  const until = (isThere: (now: Received) => boolean, what: string) =>
    eventually(async () => (isThere(await report()) ? performance.now() - startedAt : null), {
      withinMs: WITHIN_MS,
      everyMs: LOOK_EVERY_MS,
      what,
    })
  const [service, anyMs, groupMs] = await Promise.all([
    stage.startService(),
    until(({ requests }) => requests > before.requests, 'first request'),
    until((now) => acceptedOf(now) > acceptedOf(before), `first request of ${group}`),
  ])
  // The two use different clocks.
  return { service, anyMs: Math.min(anyMs, groupMs), groupMs }
}
