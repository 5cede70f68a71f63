import type { LeasedDelivery, WebhookRef } from '../../storage/rows.ts'
import type { Standing } from './standings.ts'

/** Characters of a body that weigh as much as a delivery without any. */
const CHARACTERS_PER_WEIGHT = 3_250

/** One webhook's deliveries in memory. */
export class Line {
  readonly webhookId: number
  readonly workspaceId: number
  inFlight = 0
  /** The lane that it takes its turns in. */
  standing: Standing
  /** Whether it stands in its lane. */
  listed = false
  readonly #waiting: LeasedDelivery[] = []
  /** Position of the next one in `waiting`; shifting an array costs its length. */
  #head = 0
  #weight = 0

  constructor({ webhookId, workspaceId }: WebhookRef, standing: Standing) {
    this.webhookId = webhookId
    this.workspaceId = workspaceId
    this.standing = standing
  }

  /** Deliveries that wait. */
  get size(): number {
    return this.#waiting.length - this.#head
  }

  /** Of all that waits. */
  get weight(): number {
    return this.#weight
  }

  push(delivery: LeasedDelivery): void {
    this.#waiting.push(delivery)
    this.#weight += weightOf(delivery)
  }

  /** Takes out the next one; there must be one. */
  shift(): LeasedDelivery {
    const delivery = this.#waiting[this.#head++]!
    this.#weight -= weightOf(delivery)
    if (this.#head > 64 && this.#head * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#head)
      this.#head = 0
    }
    return delivery
  }

  /** Makes a delivery the next one. */
  unshift(delivery: LeasedDelivery): void {
    if (this.#head > 0) this.#waiting[--this.#head] = delivery
    else this.#waiting.unshift(delivery)
    this.#weight += weightOf(delivery)
  }

  /** Takes out everything that waits. */
  empty(): LeasedDelivery[] {
    const waiting = this.#waiting.slice(this.#head)
    this.#waiting.length = 0
    this.#head = 0
    this.#weight = 0
    return waiting
  }
}

/** 1 for a delivery, and more for one with a long body, also where several share it. */
export function weightOf({ body }: LeasedDelivery): number {
  return 1 + Math.floor(body.length / CHARACTERS_PER_WEIGHT)
}
