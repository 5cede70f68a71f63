import { Heap } from '../heap.ts'
import type { StoredDelivery, StoredWebhook } from './rows.ts'

interface Waiting {
  readonly dueAt: number
  readonly webhook: StoredWebhook
}

/**
 * Deliveries waiting for an attempt, unleased: which webhooks have a due one, and when the next one will be.
 */
export class DueIndex {
  /** May contain outdated times; the webhook's own heap decides. */
  readonly #later = new Heap<Waiting>((a, b) => a.dueAt < b.dueAt)
  /** Webhooks whose first delivery is due, by id. */
  readonly #due: StoredWebhook[] = []

  /** Call it whenever the first waiting delivery of a webhook changes. */
  note(webhook: StoredWebhook): void {
    const first = webhook.waiting.first
    if (first !== undefined) this.#later.push({ dueAt: first.nextAttemptAt!, webhook })
  }

  /** Webhooks with an id above `afterId` and due deliveries, in the order of ids. */
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
      // The caller took the due ones, or left some of them.
      if (firstDueAt(webhook) <= now) at++
      else this.#drop(at)
    }
  }

  /** When the next delivery of a webhook without due ones, and not excluded, is due; `null`: none waits. */
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

  /**
   * Removes a webhook without due deliveries; its later ones may have been recorded before the clock was set
   * back.
   */
  #drop(at: number): void {
    const [webhook] = this.#due.splice(at, 1)
    this.note(webhook!)
  }

  #insert(webhook: StoredWebhook): void {
    const at = this.#position(webhook.id)
    if (this.#due[at] !== webhook) this.#due.splice(at, 0, webhook)
  }

  /** The index of the first webhook with this id or a higher one. */
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

/** The longest due comes first. */
export function waitingHeap(): Heap<StoredDelivery> {
  return new Heap((a, b) =>
    a.nextAttemptAt === b.nextAttemptAt ? a.id < b.id : a.nextAttemptAt! < b.nextAttemptAt!,
  )
}
