import { type Arrival, eventOf } from '../receivers/receivers.ts'
import type { Entry, EntryOf } from '../trace.ts'
import type { Contracts } from './contract.ts'
import { LONGEST_WAIT, RETENTION } from './contract.ts'
import { cancelPending, type ExpectedDelivery, type ExpectedWebhook, isOn } from './expectations.ts'
import type { Check, Findings } from './findings.ts'

/** The workspaces of a plan, as known to an oracle. */
export interface KnownWorkspace {
  readonly dialect: 'content' | 'ads'
  /** The event types of each webhook; empty: all. */
  readonly webhooks: readonly (readonly string[])[]
}

/**
 * The expected content of the store: its deliveries and their states. It follows publishes, ends of attempts
 * and actions of people, only by the contracts' tables.
 */
export class Ledger implements Check {
  readonly #findings: Findings
  /** By the number of the receiver. */
  readonly webhooks: readonly ExpectedWebhook[]
  readonly deliveries = new Map<number, ExpectedDelivery>()
  readonly #byTarget = new Map<string, ExpectedDelivery>()
  /** Events by their numbers. */
  readonly #stored = new Set<number>()
  /** Webhooks that still need a delivery of an event, by the event's row. */
  readonly #uncreated = new Map<number, Uncreated>()
  readonly #replays = new Set<number>()

  constructor(workspaces: readonly KnownWorkspace[], contracts: Contracts, findings: Findings) {
    this.#findings = findings
    let id = 0
    this.webhooks = workspaces.flatMap(({ dialect, webhooks }, workspace) =>
      webhooks.map((types) => newWebhook(++id, workspace + 1, types, contracts[dialect])),
    )
  }

  /** The delivery that a request is for. */
  targetOf({ receiver, event }: Arrival): ExpectedDelivery | undefined {
    return this.#byTarget.get(keyOf(receiver, event))
  }

  isStored(event: number): boolean {
    return this.#stored.has(event)
  }

  read(entry: Entry): void {
    switch (entry.kind) {
      case 'stored':
        this.#readStored(entry)
        break
      case 'created':
        this.#readCreated(entry)
        break
      case 'changed':
        this.#readChanged(entry)
        break
      case 'deleted':
        this.#stop(this.webhooks[entry.webhookId - 1]!, 'deleted', entry.at)
        break
      case 'suspended':
        this.#readSuspended(entry)
        break
      case 'resent':
        this.#readResent(entry)
        break
      case 'pulledIn':
        this.#readPulledIn(entry)
        break
      case 'retried':
        this.#readRetried(entry)
        break
      case 'expired':
      case 'removed':
        this.#readOld(entry)
        break
      case 'replayAsked':
        this.#replays.add(entry.replayId)
        return
      case 'replayEnded':
        this.#replays.delete(entry.replayId)
    }
  }

  end(): void {
    const { check } = this.#in()
    check(this.#replays.size === 0, () => `replays ${[...this.#replays]} were not carried out`)
    for (const [eventId, { webhooks }] of this.#uncreated)
      check(webhooks.size === 0, () => `event row ${eventId} lacks deliveries to webhooks ${[...webhooks]}`)
  }

  /** Disables or deletes the webhook: nothing is pending for it any more. */
  #stop(webhook: ExpectedWebhook, status: 'off' | 'deleted', at: number): void {
    webhook.status = status
    webhook.offAt = this.#findings.position
    webhook.changedAt = at
    cancelPending(webhook)
  }

  /** An attempt disabled the webhook. */
  disabled(webhook: ExpectedWebhook, at: number): void {
    this.#stop(webhook, 'off', at)
  }

  #in() {
    const findings = this.#findings
    return { check: findings.check.bind(findings), count: findings.count.bind(findings) }
  }

  #readStored({ event, deliveries, late, at }: EntryOf<'stored'>): void {
    const { check } = this.#in()
    const number = eventOf(event.body)
    check(!this.#stored.has(number), () => `event ${number} was stored twice`)
    this.#stored.add(number)
    const expected = this.webhooks
      .filter((webhook) => webhook.workspaceId === event.workspaceId && wants(webhook, event.type))
      .map(({ id }) => id)
    const got = [...deliveries.map(({ webhookId }) => webhookId), ...late]
    check(
      got.join() === expected.join(),
      () => `event ${number} went to webhooks [${got}] and must go to [${expected}]`,
    )
    for (const { id, webhookId } of deliveries) this.#add(id, webhookId, number, event.createdAt, at)
    if (late.length === 0) return
    const { createdAt } = event
    const position = this.#findings.position
    this.#uncreated.set(event.id, { number, createdAt, storedAt: at, position, webhooks: new Set(late) })
  }

  #readCreated({ eventId, webhookId, deliveryId, canceled }: EntryOf<'created'>): void {
    const { check, count } = this.#in()
    const about = { webhookId }
    const event = this.#uncreated.get(eventId)
    if (event === undefined || !event.webhooks.delete(webhookId)) {
      check(false, () => `event row ${eventId} got a second delivery to webhook ${webhookId}`, about)
      return
    }
    const webhook = this.webhooks[webhookId - 1]!
    const what = `the late delivery of event ${event.number} to webhook ${webhookId}`
    check(
      (deliveryId === null) === (webhook.status === 'deleted'),
      () => `${what} ${deliveryId === null ? 'was left out' : 'was created for a deleted webhook'}`,
      about,
    )
    if (deliveryId === null) return
    count('created late')
    const delivery = this.#add(deliveryId, webhookId, event.number, event.createdAt, event.storedAt)
    const wasOff = webhook.offAt > event.position
    check(canceled === wasOff, () => `${what} is ${canceled ? '' : 'not '}canceled`, about)
    if (!wasOff) return
    delivery.status = 'canceled'
    webhook.pending.delete(delivery)
  }

  #add(id: number, webhookId: number, event: number, dueAt: number, storedAt: number): ExpectedDelivery {
    const webhook = this.webhooks[webhookId - 1]!
    const delivery: ExpectedDelivery = {
      ...{ id, webhook, event, storedAt, open: new Set(), made: 0, inRun: 0 },
      ...{ allowed: webhook.contract.attempts, trigger: 'schedule', status: 'pending', dueAt, lease: null },
      retryNumber: null,
    }
    const key = keyOf(webhookId - 1, event)
    const what = `event ${event} has two deliveries to webhook ${webhookId}`
    this.#findings.check(!this.#byTarget.has(key), () => what, { webhookId })
    this.#byTarget.set(key, delivery)
    this.deliveries.set(id, delivery)
    webhook.pending.add(delivery)
    return delivery
  }

  #readChanged({ webhookId, status, eventTypes, at }: EntryOf<'changed'>): void {
    const webhook = this.webhooks[webhookId - 1]!
    webhook.types = eventTypes
    webhook.changedAt = at
    if (status === webhook.status) return
    this.#findings.count(`turned ${status}`)
    if (webhook.status === 'off') {
      Object.assign(webhook, { failingSince: null, failingTruly: null, warned: false })
    }
    if (status === 'off') this.#stop(webhook, 'off', at)
    else webhook.status = status
  }

  #readSuspended({ workspaceId, suspended, at }: EntryOf<'suspended'>): void {
    this.#findings.count(suspended ? 'suspended' : 'resumed')
    for (const webhook of this.webhooks) {
      if (webhook.workspaceId !== workspaceId) continue
      webhook.suspended = suspended
      webhook.changedAt = at
    }
  }

  #readResent({ deliveryId, trigger, now, replayId }: EntryOf<'resent'>): void {
    const { check, count } = this.#in()
    const delivery = this.deliveries.get(deliveryId)!
    const { status, webhook, lease } = delivery
    const again = trigger === 'recover' ? webhook.contract.recovered : webhook.contract.again
    const what = `delivery ${deliveryId} was sent again by ${trigger}`
    check(trigger === again.by, () => `${what}, which its service does not offer`, { deliveryId })
    const from: readonly string[] = again.from
    check(from.includes(status), () => `${what} when it was ${status}`, { deliveryId })
    check(lease === null, () => `${what} while it was leased to a node`, { deliveryId })
    const allowed = again.attempts
    Object.assign(delivery, { status: 'pending', inRun: 0, allowed, trigger, dueAt: now })
    webhook.pending.add(delivery)
    count(replayId === null ? trigger : trigger === 'recover' ? 'recovered' : 'replayed in bulk')
  }

  #readRetried({ deliveryId, dueAt }: EntryOf<'pulledIn' | 'retried'>): void {
    const { check, count } = this.#in()
    const delivery = this.deliveries.get(deliveryId)!
    const what = `delivery ${deliveryId} was retried`
    check(delivery.status === 'pending', () => `${what} when it was ${delivery.status}`, { deliveryId })
    check(delivery.lease === null, () => `${what} while it was leased to a node`, { deliveryId })
    check(isOn(delivery.webhook), () => `${what} while its webhook was not on`, { deliveryId })
    Object.assign(delivery, { dueAt, retryNumber: delivery.made + 1 })
    count('retried')
  }

  #readPulledIn({ deliveryId, dueAt }: EntryOf<'pulledIn' | 'retried'>): void {
    const delivery = this.deliveries.get(deliveryId)!
    this.#findings.check(
      delivery.dueAt - dueAt > LONGEST_WAIT,
      () => `delivery ${deliveryId} was pulled in though it was due in ${delivery.dueAt - dueAt} ms`,
      { deliveryId },
    )
    delivery.dueAt = dueAt
    this.#findings.count('pulled in')
  }

  #readOld({ kind, deliveryId, at }: EntryOf<'expired' | 'removed'>): void {
    const delivery = this.deliveries.get(deliveryId)!
    const age = at - delivery.storedAt
    this.#findings.check(
      age >= RETENTION,
      () => `delivery ${deliveryId} is ${kind} at the age of ${age} ms`,
      {
        deliveryId,
      },
    )
  }
}

interface Uncreated {
  /** The event. */
  readonly number: number
  readonly createdAt: number
  readonly storedAt: number
  /** Position in the trace. */
  readonly position: number
  readonly webhooks: Set<number>
}

function newWebhook(
  id: number,
  workspaceId: number,
  types: readonly string[],
  contract: ExpectedWebhook['contract'],
): ExpectedWebhook {
  return {
    ...{ id, workspaceId, types, contract, pending: new Set(), status: 'on', suspended: false },
    ...{ failingSince: null, failingTruly: null, warned: false, offAt: -1, changedAt: 0 },
  }
}

function wants(webhook: ExpectedWebhook, type: string): boolean {
  return isOn(webhook) && (webhook.types.length === 0 || webhook.types.includes(type))
}

const keyOf = (receiver: number, event: number) => `${receiver} ${event}`
