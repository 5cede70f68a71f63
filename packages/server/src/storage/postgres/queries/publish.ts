import type { BatchRepeats } from '../../repeats.ts'
import type { PublishResult } from '../../storage.ts'
import { type CallTable, hot, writes } from '../call.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { FanoutRows, lockQueues, refusals } from './fanouts.ts'
import {
  batchOf,
  findNewEvents,
  type LateEvent,
  type NewEvents,
  type PublishCall,
  wantedOf,
  without,
} from './newEvents.ts'
import { type Stored, storeRows, type ToStore } from './publishRows.ts'
import { RecentEvents } from './recentEvents.ts'

/** Rounds until the matched sets are those of the transaction; the first one locks them. */
const MAX_ROUNDS = 3

const NONE: ReadonlyMap<string, number> = new Map()

/** Stores the batches of several calls of one node. */
export interface Publish {
  /** As a part of what a transaction does. */
  readonly within: (tx: Tx, calls: readonly PublishCall[]) => Promise<Results>
  /**
   * As a whole transaction: if the webhooks are known already, its statements and the commit are sent together.
   * @returns `null` when webhooks changed in the meantime: nothing was stored, and {@link within} has to do it
   */
  readonly alone: (tx: Tx, calls: readonly PublishCall[]) => Promise<Results | null>
}

export function publisher({ locks, matching, leaseIds, machineClock }: Store): Publish {
  const recent = new RecentEvents(machineClock)
  const fanouts = new FanoutRows()

  const wantingOf = (calls: readonly PublishCall[], { placed }: NewEvents) =>
    wantedOf(calls, placed, (event) => matching.match(event.workspaceId, event.type))

  /** The rows to store, by the present subscriptions. */
  function rowsNow(calls: readonly PublishCall[], newEvents: NewEvents, lease: number) {
    const { events, workspaces } = newEvents
    const { wanted, late } = wantingOf(calls, newEvents)
    const versions = [...workspaces].map((id) => matching.versionOf(id))
    const due = recent.due(events)
    const { nodeId } = calls[0]!
    const rows: ToStore = { nodeId, lease, workspaces, versions, events, wanted, listed: due.events }
    return { rows, late, due }
  }

  /** @returns the batches that do not fit, and the rows to store of the others */
  async function accept(tx: Tx, calls: readonly PublishCall[], newEvents: NewEvents) {
    const { late } = wantingOf(calls, newEvents)
    const refused = late.length === 0 ? NONE : refusals(calls, late, await lockQueues(tx, late))
    return { refused, accepted: without(newEvents, refused) }
  }

  async function storeLocked(tx: Tx, calls: readonly PublishCall[], newEvents: NewEvents): Promise<Results> {
    const { workspaces } = newEvents
    const [lease] = await Promise.all([leaseIds.next(tx), locks.keep(tx, workspaces)])
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      await matching.load(tx, workspaces)
      const { refused, accepted } = await accept(tx, calls, newEvents)
      const { rows, late, due } = rowsNow(calls, accepted, lease)
      const [stored] = await Promise.all([storeRows(tx, rows), recent.trim(tx, due)])
      if (stored.fresh) {
        await fanouts.add(tx, late)
        tx.onDoubt(() => leaseIds.doubt(lease))
        tx.onCommit(() => recent.listed(due))
        return answers(newEvents, { ...rows, ...stored, late, refused })
      }
      matching.forget(workspaces)
    }
    throw new Error('webhooks changed while the lock was held that keeps them')
  }

  async function storeAtOnce(
    tx: Tx,
    calls: readonly PublishCall[],
    newEvents: NewEvents,
  ): Promise<Results | null> {
    const { workspaces } = newEvents
    const lease = await leaseIds.next(tx)
    tx.onDoubt(() => leaseIds.doubt(lease))
    const { rows, late, due } = rowsNow(calls, newEvents, lease)
    if (late.length > 0) return null
    const keeping = locks.keep(tx, workspaces)
    const storing = storeRows(tx, rows)
    const trimming = recent.trim(tx, due)
    tx.endHere()
    const [stored] = await Promise.all([storing, keeping, trimming])
    if (stored.fresh) {
      tx.onCommit(() => recent.listed(due))
      return answers(newEvents, { ...rows, ...stored, late, refused: NONE })
    }
    matching.forget(workspaces)
    return null
  }

  return {
    async within(tx, calls) {
      const newEvents = await findNewEvents(tx, calls)
      return newEvents.events.length === 0 ? answers(newEvents, null) : storeLocked(tx, calls, newEvents)
    },
    async alone(tx, calls) {
      const newEvents = await findNewEvents(tx, calls)
      if (newEvents.events.length === 0) return answers(newEvents, null)
      const store = matching.knows(newEvents.workspaces) ? storeAtOnce : storeLocked
      return store(tx, calls, newEvents)
    },
  }
}

export function publishCalls(store: Store, publish: Publish): Pick<CallTable, 'publish'> {
  return {
    publish: {
      ...hot(writes<'publish'>(async (tx, params) => (await publish.within(tx, [params]))[0]!)),
      prepare: (params) => prepareDays(store, [params]),
    },
  }
}

/** Creates the days of the events of these calls. */
export function prepareDays({ partitions }: Store, calls: readonly PublishCall[]): Promise<void> {
  return partitions.ensure(new Set(calls.flatMap(({ batches }) => batches.flat()).map((e) => e.createdAt)))
}

/** The result of each batch of each call. */
type Results = readonly (readonly PublishResult[])[]

/** The result for the new events of some calls. */
type Outcome = Pick<ToStore, 'lease' | 'wanted'> &
  Stored & {
    readonly late: readonly LateEvent[]
    /** How many deliveries are waiting, for each batch that does not fit. */
    readonly refused: ReadonlyMap<string, number>
  }

/** @param stored `null`: nothing was new */
function answers({ repeats }: NewEvents, stored: Outcome | null): Results {
  const results = repeats.map((batches, call) =>
    batches.map((known, batch) => emptyAnswer(known, stored?.refused.get(batchOf({ call, batch })))),
  )
  for (const { of, webhooks } of stored?.late ?? []) {
    const answer = results[of.call]![of.batch]!
    if (answer.outcome !== 'accepted') continue
    answer.deliveries += webhooks.length
    answer.late += webhooks.length
  }
  stored?.wanted.forEach(({ of, webhookId, webhookVersion, leased }, at) => {
    const answer = results[of.call]![of.batch]!
    if (answer.outcome !== 'accepted') return
    answer.deliveries++
    if (leased && stored.lives) {
      answer.leased.push({
        deliveryId: stored.ids![at]!,
        createdAt: of.event.createdAt,
        lease: stored.lease,
        webhookId,
        webhookVersion,
        event: of.position,
      })
    } else answer.unleased.add(webhookId)
  })
  return results.map((batches) =>
    batches.map((answer) =>
      answer.outcome === 'accepted' ? { ...answer, unleased: [...answer.unleased] } : answer,
    ),
  )
}

type Leased = Extract<PublishResult, { outcome: 'accepted' }>['leased'][number]

function emptyAnswer(known: BatchRepeats, waiting: number | undefined) {
  if (known.conflict !== null) return { outcome: 'id_conflict' as const, event: known.conflict }
  if (waiting !== undefined) return { outcome: 'fanout_full' as const, waiting }
  const [leased, unleased]: [Leased[], Set<number>] = [[], new Set()]
  return { outcome: 'accepted' as const, repeats: known.repeats, deliveries: 0, late: 0, leased, unleased }
}
