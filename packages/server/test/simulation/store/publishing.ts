import { isLimited } from '../../../src/core/limit.ts'
import type { CallParams } from '../../../src/storage/callGroups.ts'
import type { StoredEvent } from '../../../src/storage/rows.ts'
import type { EventToStore, LeasedRef, PublishResult } from '../../../src/storage/storage.ts'
import {
  effectiveStatus,
  leaseOf,
  type StoredDelivery,
  type StoredLease,
  type StoredWebhook,
  type StoredWorkspace,
} from './rows.ts'
import type { Calls, StoreState } from './state.ts'

type Repeat = Pick<StoredEvent, 'id' | 'broughtId' | 'createdAt'>

/** Deferring an event costs a store as much as this many deliveries. */
const NOT_WORTH_NOTING = 2

/** The rest that one call may lease to its node. */
interface Grant {
  readonly lease: StoredLease
  room: number
  readonly keptInStore: ReadonlySet<number>
  /** Deliveries that it may still create at once, by workspace. */
  readonly atOnce: Map<number, number>
}

/** The leases of a call so far. */
interface Accepted {
  readonly leased: (LeasedRef & { readonly event: number })[]
  readonly unleased: Set<number>
}

/** A new event of a batch, and its webhooks. */
interface Planned {
  readonly event: EventToStore
  readonly position: number
  readonly webhooks: readonly StoredWebhook[]
  /** Whether its deliveries are created after the acknowledgement. */
  readonly late: boolean
}

const countOf = (plans: readonly Planned[]): number =>
  plans.reduce((sum, { webhooks }) => sum + webhooks.length, 0)

export function publishCalls(state: StoreState): Calls<'publish' | 'reserveEventIds'> {
  let eventIds = 0
  const known = new Map<string, EventToStore>()

  /**
   * The repeats in a batch: for each event the one that it repeats, or the index of one whose id is in use.
   */
  function repeatsOf(batch: readonly EventToStore[]): readonly (Repeat | null)[] | number {
    const repeats: (Repeat | null)[] = []
    const inBatch = new Map<string, EventToStore>()
    for (const [position, event] of batch.entries()) {
      if (event.broughtId === null) {
        repeats.push(null)
        continue
      }
      const name = `${event.workspaceId} ${event.broughtId}`
      const derived = known.get(`${event.workspaceId} row ${event.broughtRowId}`)
      const earlier = inBatch.get(name) ?? known.get(name) ?? derived
      if (earlier === undefined) inBatch.set(name, event)
      else if (!sameContent(earlier.fingerprint, event.fingerprint)) return position
      repeats.push(earlier === undefined ? null : pickRepeat(earlier))
    }
    return repeats
  }

  function keepBatch(
    batch: readonly EventToStore[],
    grant: Grant,
    { maxFanout }: CallParams<'publish'>,
  ): PublishResult {
    const repeats = repeatsOf(batch)
    if (typeof repeats === 'number') return { outcome: 'id_conflict', event: repeats }
    const newEvents = batch
      .map((event, position) => ({ event, position }))
      .filter((_, at) => repeats[at] === null)
    const plans = newEvents.map(({ event, position }): Planned => {
      const webhooks = matching(state, event)
      const late = !takesAtOnce(state, grant, event.workspaceId, webhooks.length)
      return { event, position, webhooks, late }
    })
    const late = countOf(plans.filter((plan) => plan.late))
    const waiting = late === 0 ? 0 : uncreatedOf(state.workspaces[batch[0]!.workspaceId - 1]!)
    if (waiting > 0 && waiting + late > maxFanout) return { outcome: 'fanout_full', waiting }
    const accepted: Accepted = { leased: [], unleased: new Set() }
    for (const plan of plans) keepEvent(plan, grant, accepted)
    const { leased, unleased } = accepted
    return {
      outcome: 'accepted',
      repeats,
      deliveries: countOf(plans),
      late,
      leased,
      unleased: [...unleased],
    }
  }

  function keepEvent({ event, position, webhooks, late }: Planned, grant: Grant, accepted: Accepted): void {
    const { id, workspaceId, broughtId } = event
    if (broughtId !== null) known.set(`${workspaceId} ${broughtId}`, event)
    known.set(`${workspaceId} row ${id}`, event)
    if (late) {
      addFanout(state, event, webhooks)
      state.note({ kind: 'stored', event, deliveries: [], late: webhooks.map((webhook) => webhook.id) })
      return
    }
    const made = webhooks.map((webhook) => newDelivery(state, event, webhook))
    const deliveries = made.map((delivery) => ({ id: delivery.id, webhookId: delivery.webhook.id }))
    state.note({ kind: 'stored', event, deliveries, late: [] })
    for (const delivery of made) give(delivery, position, grant, accepted)
  }

  /** Leases a delivery to the node, if it wants it and has room. */
  function give(delivery: StoredDelivery, event: number, grant: Grant, accepted: Accepted): void {
    const { id: webhookId, version: webhookVersion } = delivery.webhook
    if (grant.room > 0 && !grant.keptInStore.has(webhookId) && !isLimited(delivery.webhook)) {
      grant.room--
      state.lease(delivery, grant.lease)
      accepted.leased.push({ ...leaseOf(delivery), webhookId, webhookVersion, event })
    } else {
      state.wait(delivery)
      accepted.unleased.add(webhookId)
    }
  }

  return {
    reserveEventIds({ count }) {
      eventIds += count
      return eventIds - count + 1
    },
    publish(params) {
      const { nodeId, batches, room, keepInStore } = params
      const lease = state.newLease(nodeId)
      const grant: Grant = {
        lease,
        room: state.lives(nodeId) ? room : 0,
        keptInStore: new Set(keepInStore),
        atOnce: new Map(),
      }
      const results = batches.map((batch) => keepBatch(batch, grant, params))
      // A published delivery is due at the time that its node gave it.
      state.keepLease(lease, batches[0]?.[0]?.createdAt ?? 0)
      return results
    },
  }
}

/** Whether the deliveries of an event are created with it. */
function takesAtOnce(state: StoreState, { atOnce }: Grant, workspaceId: number, deliveries: number): boolean {
  const left = atOnce.get(workspaceId) ?? state.sizes.atOnce
  if (deliveries > left && deliveries > NOT_WORTH_NOTING) return false
  atOnce.set(workspaceId, Math.max(0, left - deliveries))
  return true
}

/** Enabled webhooks that match the event. */
function matching(state: StoreState, { workspaceId, type }: EventToStore): StoredWebhook[] {
  const workspace = state.workspace(workspaceId)
  return (workspace?.webhooks ?? []).filter((webhook) => {
    const { deletedAt, eventTypes } = webhook
    if (deletedAt !== null || effectiveStatus(webhook) !== 'on') return false
    return eventTypes.length === 0 || eventTypes.includes(type)
  })
}

function addFanout(state: StoreState, event: EventToStore, webhooks: readonly StoredWebhook[]): void {
  const { fanouts } = state.workspaces[event.workspaceId - 1]!
  const set = webhooks.map((webhook) => ({ webhook, version: webhook.version }))
  fanouts.push({ event, webhooks: set, position: 0 })
  fanouts.sort((one, other) => one.event.id - other.event.id)
}

/** Number of a workspace's deliveries still to be created. */
export function uncreatedOf({ fanouts }: StoredWorkspace): number {
  return fanouts.reduce((sum, { webhooks, position }) => sum + webhooks.length - position, 0)
}

/** A delivery that is due and leased to no node. */
export function newDelivery(state: StoreState, event: EventToStore, webhook: StoredWebhook): StoredDelivery {
  const delivery: StoredDelivery = {
    id: state.deliveries.length + 1,
    webhook,
    event,
    status: 'pending',
    cancelReason: null,
    attempts: [],
    trigger: 'schedule',
    runStart: 0,
    retryNumber: null,
    replayId: null,
    nextAttemptAt: event.createdAt,
    finishedAt: null,
    lease: null,
    removed: false,
  }
  state.deliveries.push(delivery)
  return delivery
}

function pickRepeat({ id, broughtId, createdAt }: EventToStore): Repeat {
  return { id, broughtId, createdAt }
}

function sameContent(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null || Buffer.compare(a, b) === 0
}
