import { Heap } from './heap.ts'
import type { StoredDelivery, StoredWebhook } from './storeRows.ts'

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
    for (let next = this.#later.first; next !== undefined && next.dueAt <= now; next = this.#later.first) {
      this.#later.pop()
      this.#insert(next.webhook)
    }
    let at = this.#position(afterId + 1)
    while (at < this.#due.length) {
      const webhook = this.#due[at]!
      if (firstDueAt(webhook) > now) {
        this.#due.splice(at, 1)
        continue
      }
      yield webhook
      // The caller took what was due, or left some of it.
      if (firstDueAt(webhook) <= now) at++
      else this.#due.splice(at, 1)
    }
  }

  /** When the next delivery of a webhook that is not in `except` falls due; `null`: none waits. */
  next(except: ReadonlySet<number>): number | null {
    const passedOver: Waiting[] = []
    let next = this.#later.first
    while (next !== undefined && (firstDueAt(next.webhook) !== next.dueAt || except.has(next.webhook.id))) {
      this.#later.pop()
      if (except.has(next.webhook.id)) passedOver.push(next)
      next = this.#later.first
    }
    for (const one of passedOver) this.#later.push(one)
    return next?.dueAt ?? null
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
