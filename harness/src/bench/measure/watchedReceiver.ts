import { compareIds, complaintsOf } from '../load/idFile.ts'
import type { Stage } from '../stage/stage.ts'
import { type MeasuringReceiver, startMeasuringReceiver } from './fixedRate.ts'

/** A receiver whose requests are compared with the events acknowledged to its publishers. */
export interface WatchedReceiver {
  /** Of its webhooks. */
  readonly group: string
  readonly receiver: MeasuringReceiver
  readonly origin: string
  /** File where publishers write the ids of acknowledged events. */
  readonly acknowledgedFile: string
  /** Lost, repeated or unpublished events; call it after the receiver has finished. */
  complaints(): string[]
}

export async function startWatchedReceiver(stage: Stage, group: string): Promise<WatchedReceiver> {
  const acknowledgedFile = stage.file(`${group}-acknowledged`)
  const receivedFile = stage.file(`${group}-received`)
  const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: receivedFile })
  const complaints = () => complaintsOf(compareIds(acknowledgedFile, receivedFile))
  return { group, receiver, origin, acknowledgedFile, complaints }
}
