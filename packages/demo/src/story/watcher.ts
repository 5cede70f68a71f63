import type { LoggedAttempt, LoggedDelivery } from '../accounts/account.ts'
import type { Line, Printer, Verb } from '../terminal/printer.ts'
import type { Scene } from './scene.ts'

/** Polls the delivery logs and prints what is new. */
export class Watcher {
  readonly #scenes: readonly Scene[]
  readonly #printer: Printer
  /** Attempts printed so far, by delivery. */
  readonly #printed = new Map<string, number>()
  /** States of webhooks as last seen. */
  readonly #states = new Map<Scene, string>()
  /** Events that were published by other programs and that are printed already. */
  readonly #announced = new Set<string>()

  constructor(scenes: readonly Scene[], printer: Printer) {
    this.#scenes = scenes
    this.#printer = printer
  }

  /**
   * Looks once and prints.
   * @returns whether everything that is meant for the receivers is finished
   */
  async look(scenes: readonly Scene[] = this.#scenes): Promise<boolean> {
    const logs = await Promise.all(scenes.map((scene) => scene.log('recent')))
    let settled = true
    for (const [index, scene] of scenes.entries()) {
      const log = logs[index]!
      this.#announce(scene, log)
      for (const delivery of log) await this.#printNew(scene, delivery)
      settled &&= scene.isSettled(log)
    }
    return settled
  }

  /** Events that another program published first appear in the log. */
  #announce(scene: Scene, log: readonly LoggedDelivery[]): void {
    for (const { eventId, eventType } of log) {
      const isKnown = this.#announced.has(eventId) || scene.meant.some(({ id }) => id === eventId)
      if (isKnown) continue
      this.#announced.add(eventId)
      this.#printer.line({
        verb: 'published',
        type: eventType,
        detail: `by you, at ${scene.account.workspace}`,
      })
    }
  }

  /** Prints the first failure of a delivery and its end, but not the retries in between. */
  async #printNew(scene: Scene, delivery: LoggedDelivery): Promise<void> {
    const from = this.#printed.get(delivery.id) ?? 0
    this.#printed.set(delivery.id, delivery.attempts.length)
    for (let index = from; index < delivery.attempts.length; index++) {
      const line = attemptLine(scene, delivery, index)
      if (line.verb !== 'will retry' || index === 0) this.#printer.line(line)
      if (delivery.attempts[index]!.statusCode === 410) await this.#printState(scene, delivery)
    }
  }

  async #printState(scene: Scene, { eventType: type }: LoggedDelivery): Promise<void> {
    const state = await scene.account.state(scene.webhookId)
    const before = this.#states.get(scene) ?? 'enabled'
    this.#states.set(scene, state)
    if (before === state || !state.startsWith('disabled')) return
    const receiver = scene.part.name
    this.#printer.line({ verb: 'disabled', type, receiver, detail: 'no more events are sent to it' })
  }
}

function attemptLine(scene: Scene, delivery: LoggedDelivery, index: number): Line {
  const attempt = delivery.attempts[index]!
  const head = { type: delivery.eventType, receiver: scene.part.name }
  const answer = attempt.statusCode === null ? unanswered(attempt) : String(attempt.statusCode)
  if (attempt.errorCode === null) {
    const detail = `${answer}, ${seenBy(scene, delivery, index)}${afterRetries(delivery, index)}`
    return { ...head, verb: 'delivered', detail }
  }
  const nextAt = delivery.attempts[index + 1]?.startedAt ?? delivery.nextAttemptAt
  if (nextAt !== null) {
    const waitMs = nextAt - attempt.startedAt - attempt.durationMs
    return { ...head, verb: 'will retry', detail: `${answer}, retry in ${seconds(waitMs)}` }
  }
  const count = index + 1
  const detail = count === 1 ? `${answer}, no retry` : `${answer}, ${count} attempts`
  return { ...head, verb: endOf(delivery.status), detail }
}

/** Whether the receiver could verify the request that it answered. */
function seenBy(scene: Scene, delivery: LoggedDelivery, index: number): string {
  const requests = scene.receiver.requests.filter(
    ({ repeatKey }) => repeatKey === delivery.id || repeatKey === delivery.eventId,
  )
  const isVerified = requests.some(({ verified, status }) => verified && status !== null && status < 300)
  if (!isVerified) return 'NOT VERIFIED'
  const hadItBefore = delivery.attempts.slice(0, index).some(({ errorCode }) => errorCode === null)
  return hadItBefore ? 'verified repeat' : 'verified'
}

/** Counts from the last success, since a redelivery starts over with attempt 1. */
function afterRetries({ attempts }: LoggedDelivery, index: number): string {
  const lastSuccess = attempts.slice(0, index).findLastIndex(({ errorCode }) => errorCode === null)
  const number = index - lastSuccess
  return number === 1 ? '' : `, attempt ${number}`
}

function unanswered({ errorCode }: LoggedAttempt): string {
  return errorCode === 'timeout' ? 'no answer' : String(errorCode).replaceAll('_', ' ')
}

function endOf(status: string): Verb {
  return status === 'dead' || status === 'canceled' ? status : 'failed'
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
}
