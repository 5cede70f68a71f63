import { Heap } from '../heap.ts'
import type { StoredDelivery, StoredWebhook } from './rows.ts'

interface Waiting {
  readonly dueAt: number
  readonly webhook: StoredWebhook
}

/** Deliveries that wait for an attempt, unleased: which webhooks have one due, and when the next one will be. */
export class DueIndex {
  /** May hold times that are out of date; the webhook's own heap decides. */
  readonly #later = new Heap<Waiting>((a, b) => a.dueAt < b.dueAt)
  /** Webhooks whose first delivery is due, by id. */
  readonly #due: StoredWebhook[] = []

  /** To be called whenever the first delivery that waits for a webhook is another one than before. */
  note(webhook: StoredWebhook): void {
    const first = webhook.waiting.first
    if (first !== undefined) this.#later.push({ dueAt: first.nextAttemptAt!, webhook })
  }

  /** Webhooks with an id above `afterId` that have something due, in the order of ids. */
  *due(now: number, afterId: number): Iterable<StoredWebhook> {
    this.#advance(now)
    let at = this.#position(afterId + 1)
    while (at < this.#due.length) {
      const webhook = this.#due[at]!
      if (firstDueAt(webhook) > now) {
        this.#drop(at)
        continue
      }
      yield webhook
      // The caller took what was due, or left some of it.
      if (firstDueAt(webhook) <= now) at++
      else this.#drop(at)
    }
  }

  /** When the next delivery falls due of a webhook that has nothing due now and is not left out; `null`: none waits. */
  next(now: number, isLeftOut: (webhook: StoredWebhook) => boolean): number | null {
    this.#advance(now)
    const passedOver: Waiting[] = []
    let next = this.#later.first
    while (next !== undefined && (firstDueAt(next.webhook) !== next.dueAt || isLeftOut(next.webhook))) {
      this.#later.pop()
      if (firstDueAt(next.webhook) === next.dueAt) passedOver.push(next)
      next = this.#later.first
    }
    for (const one of passedOver) this.#later.push(one)
    return next?.dueAt ?? null
  }

  #advance(now: number): void {
    for (let next = this.#later.first; next !== undefined && next.dueAt <= now; next = this.#later.first) {
      this.#later.pop()
      this.#insert(next.webhook)
    }
  }

  /** Takes a webhook out that has nothing due; what it has later may have been noted before the clock was set back. */
  #drop(at: number): void {
    const [webhook] = this.#due.splice(at, 1)
    this.note(webhook!)
  }

  #insert(webhook: StoredWebhook): void {
    const at = this.#position(webhook.id)
    if (this.#due[at] !== webhook) this.#due.splice(at, 0, webhook)
  }

  /** Where the first webhook with this id or a higher one stands. */
  #position(id: number): number {
    let [low, high] = [0, this.#due.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#due[middle]!.id < id) low = middle + 1
      else high = middle
    }
    return low
  }
}

function firstDueAt({ waiting }: StoredWebhook): number {
  return waiting.first?.nextAttemptAt ?? Number.POSITIVE_INFINITY
}

/** Whoever has been due longest goes first. */
export function waitingHeap(): Heap<StoredDelivery> {
  return new Heap((a, b) =>
    a.nextAttemptAt === b.nextAttemptAt ? a.id < b.id : a.nextAttemptAt! < b.nextAttemptAt!,
  )
}
