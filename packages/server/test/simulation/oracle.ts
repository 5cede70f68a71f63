import { CONTRACTS } from './contract.ts'
import {
  dueWindow,
  type EndedArrival,
  type ExpectedDelivery,
  type ExpectedWebhook,
  hasEnded,
  moveDelivery,
  moveWebhook,
  succeeded,
  type WebhookNews,
} from './expectations.ts'
import type { PlannedWorkspace } from './plan.ts'
import { type Arrival, eventOf } from './receivers.ts'
import type { Entry, EntryOf, StoredDelivery } from './storeRows.ts'

/** Results reach the store in groups; each is there this long after its attempt ended, at the latest. */
const RECORDED_WITHIN_MS = 100
/** A webhook that was switched off for failing may get requests until the sender has heard of it from the store. */
const HEARD_WITHIN_MS = 10
/** Whoever has seen this many faults has seen enough. */
const MAX_FAULTS = 20

/** How late an attempt was. */
interface Lateness {
  readonly receiver: number
  readonly dueAt: number
  readonly lateMs: number
}

export interface Judgement {
  /** In words; none: everything went as the contracts say. */
  readonly faults: readonly string[]
  /** Of every attempt, and of those that were due at the end: at least so late. */
  readonly lateness: readonly Lateness[]
  /** How often what happened. */
  readonly counts: Readonly<Record<string, number>>
}

interface Evidence {
  readonly workspaces: readonly PlannedWorkspace[]
  readonly arrivals: readonly Arrival[]
  readonly history: readonly Entry[]
  readonly deliveries: readonly StoredDelivery[]
  /** When the simulation ended; Unix ms. */
  readonly endedAt: number
  /** How late an attempt may be that was not made by the end. */
  readonly overdueMs: number
}

/**
 * Follows what was published, how receivers answered and what people did, and works out from the contracts' tables
 * alone what must have come of it. What the store says is compared with that; believed is only in which order and
 * when results reached it.
 */
export function judgeRun(evidence: Evidence): Judgement {
  const oracle = new Oracle(evidence)
  for (const entry of evidence.history) oracle.read(entry)
  oracle.compareEnd(evidence)
  return oracle
}

class Oracle implements Judgement {
  readonly faults: string[] = []
  readonly lateness: Lateness[] = []
  readonly counts: Record<string, number> = {}
  /** By receiver. */
  readonly #webhooks: readonly ExpectedWebhook[]
  /** Receivers of each workspace, by its id in the store. */
  readonly #receivers = new Map<number, number[]>()
  readonly #arrivals = new Map<string, Arrival[]>()
  readonly #deliveries = new Map<number, ExpectedDelivery>()
  /** What the store has to say of webhooks before anything but results of the same call. */
  readonly #news = new Map<number, WebhookNews>()
  #callAt = 0

  constructor({ workspaces, arrivals }: Evidence) {
    let receiver = 0
    this.#webhooks = workspaces.flatMap(({ dialect, webhooks }, workspace) => {
      const receivers = webhooks.map(() => receiver++)
      this.#receivers.set(workspace + 1, receivers)
      return webhooks.map((types) => newWebhook(dialect, types))
    })
    for (const arrival of arrivals) {
      const key = keyOf(arrival.receiver, arrival.event)
      const known = this.#arrivals.get(key)
      if (known === undefined) this.#arrivals.set(key, [arrival])
      else known.push(arrival)
    }
  }

  read(entry: Entry): void {
    this.#count(entry.kind)
    if (entry.kind === 'published') this.#published(entry)
    else if (entry.kind === 'attempted') this.#attempted(entry)
    else if (entry.kind === 'replayed') this.#replayed(entry)
    else if (entry.kind === 'switchedOff') this.#heard(entry.webhook.id, entry.reason)
    else if (entry.kind === 'warned') this.#heard(entry.webhook.id, 'warned')
    else this.#switchedOn(entry.webhook.id)
  }

  /** What the store holds at the end is what must be there, and nothing that was due was left out. */
  compareEnd({ arrivals, deliveries, endedAt, overdueMs }: Evidence): void {
    this.#heardAll()
    this.#check(deliveries.length === this.#deliveries.size, () => 'deliveries went missing')
    let made = 0
    for (const { id, webhook, status, attempts } of deliveries) {
      const expected = this.#deliveries.get(id)!
      made += expected.made
      this.#count(expected.status)
      this.#check(status === expected.status, () => `delivery ${id} is ${status}, not ${expected.status}`)
      this.#check(
        attempts.length === expected.made && expected.arrivals.length === expected.made,
        () =>
          `delivery ${id} shows ${attempts.length} attempts, and its receiver saw ${expected.arrivals.length}, not ${expected.made}`,
      )
      if (expected.status !== 'pending' || expected.dueAt >= endedAt) continue
      const lateMs = endedAt - expected.dueAt
      this.lateness.push({ receiver: webhook.id - 1, dueAt: expected.dueAt, lateMs })
      this.#check(lateMs <= overdueMs, () => `delivery ${id} was due ${lateMs} ms before the end`)
    }
    this.#check(arrivals.length === made, () => 'receivers saw requests that belong to no delivery')
  }

  #published({ event, at, deliveries }: EntryOf<'published'>): void {
    this.#heardAll()
    const number = eventOf(event.body)
    const expected = this.#receivers.get(event.workspaceId)!.filter((receiver) => {
      const { on, types } = this.#webhooks[receiver]!
      return on && (types.length === 0 || types.includes(event.type))
    })
    const receivers = deliveries.map(({ webhook }) => webhook.id - 1)
    this.#check(
      receivers.join() === expected.join(),
      () => `event ${number} went to [${receivers}] and must go to [${expected}]`,
    )
    for (const [position, { id }] of deliveries.entries()) {
      const receiver = receivers[position]!
      const arrivals = this.#arrivals.get(keyOf(receiver, number)) ?? []
      const delivery = newDelivery(arrivals, at)
      this.#deliveries.set(id, delivery)
      this.#webhooks[receiver]!.pending.add(delivery)
    }
  }

  #attempted(entry: EntryOf<'attempted'>): void {
    const { delivery: row, attempt, next, at } = entry
    if (at !== this.#callAt) this.#heardAll()
    this.#callAt = at
    const { id: webhookId } = row.webhook
    const webhook = this.#webhooks[webhookId - 1]!
    const delivery = this.#deliveries.get(row.id)!
    const what = `attempt ${attempt.number} of delivery ${row.id}`
    const arrival = delivery.arrivals[delivery.made]
    if (arrival === undefined || !hasEnded(arrival)) {
      this.#check(false, () => `${what} was recorded, but its receiver has not seen it`)
      return
    }
    this.#checkRecord(what, entry, delivery, webhook, arrival)
    this.#checkDue(what, webhookId - 1, delivery, webhook, arrival)
    moveDelivery(delivery, webhook, arrival)
    if (delivery.status === 'pending') this.#expectNext(what, delivery, webhook, arrival, next.nextAttemptAt)
    const news = moveWebhook(webhook, arrival, at)
    if (news !== null) this.#news.set(webhookId, news)
    // Whoever received again within the same call needs no warning.
    else if (succeeded(arrival) && this.#news.get(webhookId) === 'warned') this.#news.delete(webhookId)
    if (news === 'gone') webhook.silentFrom = arrival.endedAt
    if (news === 'failing') webhook.silentFrom = at + HEARD_WITHIN_MS
  }

  /** What is recorded is what the receiver saw, soon after. */
  #checkRecord(
    what: string,
    { attempt, at }: EntryOf<'attempted'>,
    { made, inRun, trigger }: ExpectedDelivery,
    { contract }: ExpectedWebhook,
    arrival: EndedArrival,
  ): void {
    const { status } = arrival.answer
    const tookMs = arrival.endedAt - arrival.at
    this.#check(
      attempt.number === made + 1 &&
        attempt.startedAt === arrival.at &&
        attempt.durationMs === tookMs &&
        attempt.statusCode === (typeof status === 'number' ? status : null) &&
        attempt.trigger === (inRun === 0 ? trigger : 'schedule'),
      () => `${what} is recorded otherwise than its receiver saw it`,
    )
    const lateMs = at - arrival.endedAt
    this.#check(lateMs <= RECORDED_WITHIN_MS, () => `${what} was recorded ${lateMs} ms late`)
    if (status === 'none')
      this.#check(tookMs === contract.timeout, () => `${what} was given ${tookMs} ms for an answer`)
  }

  #checkDue(
    what: string,
    receiver: number,
    { dueAt, status }: ExpectedDelivery,
    { silentFrom }: ExpectedWebhook,
    { at }: Arrival,
  ): void {
    if (status === 'pending') {
      this.#check(at >= dueAt, () => `${what} came ${dueAt - at} ms too early`)
      this.lateness.push({ receiver, dueAt, lateMs: at - dueAt })
      return
    }
    this.#check(status === 'canceled', () => `${what} came when it was ${status}`)
    this.#check(
      at <= silentFrom,
      () => `${what} came ${at - silentFrom} ms after its webhook was switched off`,
    )
    this.#count('in flight at the switch-off')
  }

  #expectNext(
    what: string,
    delivery: ExpectedDelivery,
    { contract }: ExpectedWebhook,
    arrival: EndedArrival,
    nextAttemptAt: number | null,
  ): void {
    const [from, to] = dueWindow(contract, delivery.inRun, arrival)
    const { endedAt } = arrival
    this.#check(
      nextAttemptAt !== null && nextAttemptAt >= from && nextAttemptAt <= to,
      () =>
        `the wait after ${what} is ${nextAttemptAt! - endedAt} ms and must be ${from - endedAt} to ${to - endedAt}`,
    )
    delivery.dueAt = nextAttemptAt!
  }

  #replayed({ delivery: { id, webhook: row }, at }: EntryOf<'replayed'>): void {
    this.#heardAll()
    const delivery = this.#deliveries.get(id)!
    this.#check(
      delivery.status === 'dead',
      () => `delivery ${id} was replayed when it was ${delivery.status}`,
    )
    Object.assign(delivery, { status: 'pending', inRun: 0, trigger: 'replay', dueAt: at })
    this.#webhooks[row.id - 1]!.pending.add(delivery)
  }

  #switchedOn(webhookId: number): void {
    this.#heardAll()
    const webhook = this.#webhooks[webhookId - 1]!
    this.#check(!webhook.on, () => `webhook ${webhookId} was switched on when it was on`)
    Object.assign(webhook, { on: true, failingSince: null, warned: false })
  }

  #heard(webhookId: number, what: string): void {
    const expected = this.#news.get(webhookId)
    this.#check(
      expected === what,
      () => `webhook ${webhookId}: ${what}, where ${expected ?? 'nothing'} was to be said`,
    )
    this.#news.delete(webhookId)
    this.#count(what)
  }

  #heardAll(): void {
    for (const [webhookId, what] of this.#news)
      this.#check(false, () => `webhook ${webhookId}: nobody was told ${what}`)
    this.#news.clear()
  }

  #check(right: boolean, fault: () => string): void {
    if (!right && this.faults.length < MAX_FAULTS) this.faults.push(fault())
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }
}

function newWebhook(dialect: PlannedWorkspace['dialect'], types: readonly string[]): ExpectedWebhook {
  return {
    contract: CONTRACTS[dialect],
    types,
    pending: new Set(),
    on: true,
    failingSince: null,
    warned: false,
    silentFrom: Number.POSITIVE_INFINITY,
  }
}

function newDelivery(arrivals: readonly Arrival[], dueAt: number): ExpectedDelivery {
  return { arrivals, made: 0, inRun: 0, trigger: 'schedule', status: 'pending', dueAt }
}

const keyOf = (receiver: number, event: number) => `${receiver} ${event}`
