import type { LeasedDelivery } from '../storage/rows.ts'

/** One webhook's deliveries in memory. */
interface Line {
  readonly webhookId: number
  readonly waiting: LeasedDelivery[]
  /** Position of the next one in `waiting`; shifting an array costs its length. */
  head: number
  inFlight: number
  /** Its receiver has not answered promptly since it was first tried, kept an attempt waiting or failed one. */
  slow: boolean
  /** Whether it stands in its lane's turn list. */
  listed: boolean
}

export interface SendQueueLimits {
  /** Attempts in flight over all webhooks. */
  readonly maxInFlight: number
  readonly maxInFlightPerWebhook: number
}

/** Webhooks known to be prompt; of more than these, the ones longest known must answer once more to be it again. */
const MAX_PROVEN = 100_000

/**
 * Deliveries that wait in memory, and whose turn it is. Webhooks take turns, so that one with a long line delays no
 * other. Slow webhooks, and those not tried yet, share at most half of the places in flight: however many receivers
 * hang, those that have proven prompt keep the other half.
 */
export class SendQueue {
  readonly #limits: SendQueueLimits
  readonly #lines = new Map<number, Line>()
  readonly #prompt: Line[] = []
  readonly #slow: Line[] = []
  /** Webhooks whose latest attempt succeeded promptly, also while nothing waits for them. */
  readonly #proven = new Set<number>()
  #slowsTurn = false
  #size = 0
  #characters = 0
  #inFlight = 0
  #slowInFlight = 0

  constructor(limits: SendQueueLimits) {
    this.#limits = limits
  }

  /** Deliveries that wait. */
  get size(): number {
    return this.#size
  }

  /** Characters of the bodies that wait; a body that waits for several webhooks counts for each. */
  get characters(): number {
    return this.#characters
  }

  get inFlight(): number {
    return this.#inFlight
  }

  waitingOf(webhookId: number): number {
    const line = this.#lines.get(webhookId)
    return line === undefined ? 0 : line.waiting.length - line.head
  }

  /** Webhooks with at least `count` deliveries waiting. */
  withAtLeast(count: number): number[] {
    const ids: number[] = []
    for (const line of this.#lines.values()) {
      if (line.waiting.length - line.head >= count) ids.push(line.webhookId)
    }
    return ids
  }

  add(delivery: LeasedDelivery): void {
    let line = this.#lines.get(delivery.webhookId)
    if (line === undefined) {
      const { webhookId } = delivery
      const slow = !this.#proven.has(webhookId)
      line = { webhookId, waiting: [], head: 0, inFlight: 0, slow, listed: false }
      this.#lines.set(webhookId, line)
    }
    line.waiting.push(delivery)
    this.#size++
    this.#characters += delivery.body.length
    this.#list(line)
  }

  /** Takes the next delivery whose turn it is and counts it as in flight; `null` when none may go now. */
  next(): LeasedDelivery | null {
    if (this.#inFlight >= this.#limits.maxInFlight) return null
    const slowMayGo = this.#slowInFlight < Math.max(1, Math.floor(this.#limits.maxInFlight / 2))
    this.#slowsTurn = !this.#slowsTurn
    const line =
      this.#slowsTurn && slowMayGo
        ? (this.#take(this.#slow) ?? this.#take(this.#prompt))
        : (this.#take(this.#prompt) ?? (slowMayGo ? this.#take(this.#slow) : null))
    if (line === null) return null
    const delivery = line.waiting[line.head++]!
    compact(line)
    this.#size--
    this.#characters -= delivery.body.length
    this.#count(line, 1)
    this.#list(line)
    return delivery
  }

  /** An attempt ended. @param prompt whether it succeeded without delay */
  finished(webhookId: number, prompt: boolean): void {
    const line = this.#lines.get(webhookId)
    if (line === undefined) return
    this.#count(line, -1)
    this.#setSlow(line, !prompt)
    this.#list(line)
    this.#forgetIfIdle(line)
  }

  /** A delivery that was taken was not attempted: it is the next of its webhook again. */
  putBack(delivery: LeasedDelivery): void {
    const line = this.#lines.get(delivery.webhookId)
    if (line === undefined) return
    if (line.head > 0) line.waiting[--line.head] = delivery
    else line.waiting.unshift(delivery)
    this.#size++
    this.#characters += delivery.body.length
    this.#count(line, -1)
    this.#list(line)
  }

  /** An attempt of this webhook has been kept waiting. */
  markSlow(webhookId: number): void {
    const line = this.#lines.get(webhookId)
    if (line !== undefined) this.#setSlow(line, true)
  }

  /** Takes out everything that waits for a webhook. */
  drop(webhookId: number): LeasedDelivery[] {
    const line = this.#lines.get(webhookId)
    if (line === undefined) return []
    const dropped = line.waiting.slice(line.head)
    line.waiting.length = 0
    line.head = 0
    this.#size -= dropped.length
    for (const delivery of dropped) this.#characters -= delivery.body.length
    this.#forgetIfIdle(line)
    return dropped
  }

  /** Takes out everything that waits. */
  dropAll(): LeasedDelivery[] {
    return [...this.#lines.keys()].flatMap((webhookId) => this.drop(webhookId))
  }

  #take(lane: Line[]): Line | null {
    for (let line = lane.shift(); line !== undefined; line = lane.shift()) {
      line.listed = false
      // Lines are not searched for when they empty; they are passed over here.
      if (line.waiting.length > line.head) return line
    }
    return null
  }

  #list(line: Line): void {
    if (
      line.listed ||
      line.waiting.length === line.head ||
      line.inFlight >= this.#limits.maxInFlightPerWebhook
    )
      return
    line.listed = true
    this.#laneOf(line).push(line)
  }

  #laneOf(line: Line): Line[] {
    return line.slow ? this.#slow : this.#prompt
  }

  #setSlow(line: Line, slow: boolean): void {
    if (line.slow === slow) return
    if (slow) this.#proven.delete(line.webhookId)
    else this.#remember(line.webhookId)
    if (line.listed) {
      const lane = this.#laneOf(line)
      lane.splice(lane.indexOf(line), 1)
      line.listed = false
    }
    line.slow = slow
    this.#slowInFlight += slow ? line.inFlight : -line.inFlight
    this.#list(line)
  }

  #remember(webhookId: number): void {
    const [longestKnown] = this.#proven
    if (this.#proven.size >= MAX_PROVEN) this.#proven.delete(longestKnown!)
    this.#proven.add(webhookId)
  }

  #count(line: Line, change: 1 | -1): void {
    line.inFlight += change
    this.#inFlight += change
    if (line.slow) this.#slowInFlight += change
  }

  #forgetIfIdle(line: Line): void {
    if (line.inFlight === 0 && line.waiting.length === line.head) this.#lines.delete(line.webhookId)
  }
}

function compact(line: Line): void {
  if (line.head <= 64 || line.head * 2 < line.waiting.length) return
  line.waiting.splice(0, line.head)
  line.head = 0
}
