import { type Hook, moveHooks, prepareLoad } from '../load/prepareLoad.ts'
import type { Stage } from '../stage/stage.ts'
import { type Receiver, startCountingReceiver } from './counting.ts'
import { FullSpeedPublisher } from './fullSpeedPublisher.ts'

/** Webhooks, and the receiver that only they use. */
export interface Load {
  readonly hooks: readonly Hook[]
  readonly receiver: Receiver
  readonly origin: string
  /** Files of ids. */
  readonly files: { readonly acknowledged: string; readonly received: string }
}

/**
 * @param webhooks how many to create, or the existing ones
 * @param number of the load, counted from 0
 */
export async function openLoad(
  stage: Stage,
  baseUrl: () => string,
  webhooks: number | readonly Hook[],
  number: number,
): Promise<Load> {
  const files = {
    acknowledged: stage.file(`acknowledged-${number}`),
    received: stage.file(`received-${number}`),
  }
  const { receiver, origin } = await startCountingReceiver(stage, files.received)
  if (typeof webhooks !== 'number') {
    await moveHooks(baseUrl, webhooks, origin)
    return { hooks: webhooks, receiver, origin, files }
  }
  const group = `hooks-${number}`
  const hooks = await prepareLoad(baseUrl, { webhooks, receiverOrigin: origin, group })
  return { hooks, receiver, origin, files }
}

/**
 * Publishes at full speed to all nodes in turn; each load begins with another one.
 * @param goesOn whether a temporary rejection of a publish is not a failure
 */
export function publishLoad(
  stage: Stage,
  services: readonly { readonly url: string }[],
  { hooks, receiver, files }: Load,
  number: number,
  goesOn = false,
): FullSpeedPublisher {
  const first = number % services.length
  const inTurn = [...services.slice(first), ...services.slice(0, first)]
  const publisher = FullSpeedPublisher.start(stage, inTurn, hooks, { idsFile: files.acknowledged, goesOn })
  publisher.follow(receiver)
  return publisher
}
