import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../accounts/account.ts'
import { forge } from '../receivers/forge.ts'
import type { Printer } from '../terminal/printer.ts'
import type { Timing } from '../timing.ts'
import { listensTo, works } from './cast.ts'
import type { Scene } from './scene.ts'
import { type Happening, STORY } from './story.ts'
import type { Evidence } from './verdict.ts'
import type { Watcher } from './watcher.ts'

const LOOK_EVERY_MS = 80

export interface Play {
  readonly accounts: readonly Account[]
  readonly scenes: readonly Scene[]
  readonly watcher: Watcher
  readonly printer: Printer
  readonly timing: Timing
  /** When waiting ends, on the scale of `performance.now()`. */
  readonly deadline: number
  /** The certificate that receivers are trusted by, in PEM. */
  readonly authority: string
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal
}

/** Plays the whole story. @returns the evidence to judge it by */
export async function play(run: Play): Promise<readonly Evidence[]> {
  run.printer.heading(`Publishing ${STORY.length} events of two services`)
  for (const happening of STORY) {
    await waitUntilClosed(run, happening)
    await publish(run, happening)
    await watchFor(run, run.timing.beatMs)
  }
  await settle(run)
  await replayDead(run)
  await redeliverOne(run)
  const collected = await Promise.all(run.scenes.map((scene) => scene.collect()))
  run.printer.heading('Sending each receiver a forged request: one byte changed')
  const evidence: Evidence[] = []
  for (const [index, scene] of run.scenes.entries()) {
    evidence.push({ ...collected[index]!, forgeryStatus: await forgeFor(run, scene) })
  }
  const rejected = evidence.filter(({ forgeryStatus }) => isRejection(forgeryStatus)).length
  const detail = `${rejected} of ${evidence.length} receivers, signature invalid`
  run.printer.line({ verb: 'rejected', type: 'forged requests', detail })
  return evidence
}

async function publish(run: Play, happening: Happening): Promise<void> {
  const { service, type, says: detail } = happening
  const account = run.accounts.find((one) => one.service === service)!
  const event = await account.publish(happening)
  for (const scene of run.scenes) {
    if (listensTo(scene.part, service, type) && !scene.isClosed) scene.expect(event)
  }
  run.printer.line({ verb: 'published', type, detail })
}

/** Waits until the webhook is disabled: an event published before that would still get a delivery. */
async function waitUntilClosed(run: Play, { service, type }: Happening): Promise<void> {
  const closing = run.scenes.filter((scene) => scene.isClosed && listensTo(scene.part, service, type))
  if (closing.length > 0) await settle(run, closing)
}

async function watchFor(run: Play, ms: number): Promise<void> {
  const until = performance.now() + ms
  do {
    await sleep(Math.min(LOOK_EVERY_MS, ms), undefined, { signal: run.signal })
    await run.watcher.look()
  } while (performance.now() < until)
}

/** Waits until everything is finished or time is up. The verdict reports what is not finished. */
async function settle(run: Play, scenes: readonly Scene[] = run.scenes): Promise<void> {
  while (!(await run.watcher.look(scenes)) && performance.now() < run.deadline) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: run.signal })
  }
}

async function replayDead(run: Play): Promise<void> {
  const broken = run.scenes.filter(({ part }) => part.fate === 'arrives_when_replayed')
  for (const scene of broken) {
    const receiver = scene.part.name
    run.printer.heading(`Receiver fixed: replaying dead deliveries of ${receiver}`)
    scene.receiver.behave(works)
    for (const { id, eventType: type, status } of await scene.log('whole')) {
      if (status !== 'dead') continue
      run.printer.line({ verb: 'replayed', type, receiver, detail: 'starts again with attempt 1' })
      await scene.account.sendAgain(scene.webhookId, id)
    }
  }
  await settle(run, broken)
}

/** Redelivers one event, as a customer asks for it; the receiver recognizes the repeat by its id. */
async function redeliverOne(run: Play): Promise<void> {
  const scene = run.scenes.find(({ part }) => part.service === 'content' && part.fate === 'arrives')!
  const last = scene.meant.at(-1)
  const log = await scene.log('whole')
  const delivery = log.find(({ eventId, status }) => eventId === last?.id && status === 'delivered')
  const receiver = scene.part.name
  run.printer.heading(`Redelivering the last event to ${receiver}`)
  if (delivery === undefined) return
  scene.noteRedelivery(delivery.eventId)
  run.printer.line({ verb: 'redelivered', type: delivery.eventType, receiver, detail: 'same id, same bytes' })
  await scene.account.sendAgain(scene.webhookId, delivery.id)
  await settle(run, [scene])
}

/** @returns the receiver's answer; `null`: there was no request to copy, or no answer */
async function forgeFor(run: Play, scene: Scene): Promise<number | null> {
  const original = scene.receiver.requests.find(({ verified }) => verified)
  return original === undefined ? null : forge(scene.url, original, run.authority)
}

const isRejection = (status: number | null): boolean => status !== null && status >= 400 && status < 500
