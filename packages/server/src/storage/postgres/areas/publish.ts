import type { EventToStore, PublishResult } from '../../storage.ts'
import { booleans, numbers, packBytes, packTexts, texts } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { hot, type VerbParams, type VerbTable, writes } from '../verb.ts'
import { RecentEvents } from './recentEvents.ts'
import { type Recognition, recognize } from './repeats.ts'

export const publishSql = {
  /**
   * Events and their deliveries, unless the sets of webhooks they were matched with are no longer those. `made` is read
   * by four statements and evaluated once. Deliveries that the node wants and may have come with their lease, the
   * others wait. Ids that publishers bring are taken in order, so that two publishes of the same ones do not wait for each
   * other.
   */
  store: `
    WITH expected AS (
      SELECT coalesce(bool_and(s.webhooks_version IS NOT DISTINCT FROM x.version), true) AS fresh
      FROM unnest($1::bigint[], $2::bigint[]) AS x (id, version) LEFT JOIN workspaces s ON s.id = x.id),
    node AS (SELECT EXISTS (SELECT 1 FROM nodes WHERE id = $3 AND lease_until > now_ms()) AS lives),
    stored AS (
      INSERT INTO events (id, workspace_id, type, brought_id, fingerprint, body, created_at, xact)
      SELECT id, workspace_id, type, brought_id, substring($9::bytea FROM mark_at FOR mark_length),
        convert_from(substring($12::bytea FROM body_at FOR body_length), 'UTF8'), created_at,
        pg_current_xact_id()::text::bigint + (SELECT xact_offset FROM store)
      FROM unnest($5::bigint[], $6::bigint[], $7::text[], $8::text[], $10::int[], $11::int[], $13::int[], $14::int[],
        $15::bigint[]) AS e (id, workspace_id, type, brought_id, mark_at, mark_length, body_at, body_length, created_at)
      WHERE (SELECT fresh FROM expected)),
    brought AS (
      INSERT INTO brought_ids (workspace_id, brought_id, event_id, fingerprint, created_at)
      SELECT workspace_id, brought_id, id, substring($9::bytea FROM mark_at FOR mark_length), created_at
      FROM unnest($5::bigint[], $6::bigint[], $8::text[], $10::int[], $11::int[], $15::bigint[])
        AS e (id, workspace_id, brought_id, mark_at, mark_length, created_at)
      WHERE brought_id IS NOT NULL AND (SELECT fresh FROM expected)
      ORDER BY workspace_id, brought_id),
    listed AS (
      INSERT INTO recent_events (workspace_id, type, created_at, event_id)
      SELECT * FROM unnest($20::bigint[], $21::text[], $22::bigint[], $23::bigint[])
      WHERE (SELECT fresh FROM expected)
      ON CONFLICT DO NOTHING),
    made AS MATERIALIZED (
      SELECT nextval('delivery_ids') AS id, d.event_id, d.webhook_id, d.created_at, d.n,
        d.wanted AND (SELECT lives FROM node) AS leased
      FROM unnest($16::bigint[], $17::bigint[], $18::bigint[], $19::boolean[]) WITH ORDINALITY
        AS d (event_id, webhook_id, created_at, wanted, n)
      WHERE (SELECT fresh FROM expected)),
    delivery AS (
      INSERT INTO deliveries (id, created_at, event_id, webhook_id, next_attempt_at, lease, attempts, run_start,
        status, trigger)
      SELECT id, created_at, event_id, webhook_id, created_at, CASE WHEN leased THEN $4::bigint END, 0, 0, 'pending',
        'schedule'
      FROM made),
    waits AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, created_at, id, created_at FROM made WHERE NOT leased),
    lease AS (
      INSERT INTO leases (id, node_id, first_id, last_id, from_time, to_time, open)
      SELECT $4, $3, min(id), max(id), min(created_at), max(created_at), count(*) FROM made WHERE leased
      HAVING count(*) > 0)
    SELECT (SELECT fresh FROM expected) AS fresh, (SELECT lives FROM node) AS lives,
      (SELECT array_agg(id ORDER BY n) FROM made) AS ids`,
}

export type PublishCall = VerbParams<'publish'>

interface Stored {
  readonly fresh: boolean
  readonly lives: boolean
  readonly ids: readonly number[] | null
}

/** An event and where it comes from. */
interface NewEvent {
  readonly call: number
  readonly batch: number
  readonly position: number
  readonly event: EventToStore
}

/** A delivery to be made. */
interface Wanted {
  readonly of: NewEvent
  readonly webhookId: number
  readonly webhookVersion: number
  readonly leased: boolean
}

/** Rounds until the matched sets are those of the transaction; the first holds them still. */
const MAX_ROUNDS = 3

/** What each batch of each call is told. */
type Results = readonly (readonly PublishResult[])[]

/** Stores the batches of several calls of one node. */
export interface Publish {
  /** As a part of what a transaction does. */
  readonly within: (tx: Tx, calls: readonly PublishCall[]) => Promise<Results>
  /**
   * As all that a transaction does: where the webhooks are known already, its statements and the commit go out together.
   * @returns `null` when webhooks changed meanwhile: nothing was stored, and {@link within} is to do it
   */
  readonly alone: (tx: Tx, calls: readonly PublishCall[]) => Promise<Results | null>
}

export function publisher({ locks, matching, leaseIds, machineClock }: Store): Publish {
  const recent = new RecentEvents(machineClock)

  /** What goes into the statement as things are known to be now. */
  function rowsNow(calls: readonly PublishCall[], { placed, events, workspaces }: News, lease: number) {
    const wanted = wantedOf(calls, placed, (event) => matching.match(event.workspaceId, event.type))
    const versions = [...workspaces].map((id) => matching.versionOf(id))
    const due = recent.due(events)
    const { nodeId } = calls[0]!
    const values = valuesOf({ nodeId, lease, workspaces, versions, events, wanted, listed: due.events })
    return { wanted, due, values }
  }

  async function storeLocked(tx: Tx, calls: readonly PublishCall[], news: News): Promise<Results> {
    const { workspaces, recognitions } = news
    const [lease] = await Promise.all([leaseIds.next(tx), locks.keep(tx, workspaces)])
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      await matching.load(tx, workspaces)
      const { wanted, due, values } = rowsNow(calls, news, lease)
      const storing = tx.row<Stored>(publishSql.store, values)
      const [stored] = await Promise.all([storing, recent.trim(tx, due)])
      if (stored!.fresh) {
        tx.onDoubt(() => leaseIds.doubt(lease))
        tx.onCommit(() => recent.listed(due))
        return answers(calls, recognitions, wanted, { ...stored!, lease })
      }
      matching.forget(workspaces)
    }
    throw new Error('webhooks changed while the lock was held that keeps them')
  }

  async function storeAtOnce(tx: Tx, calls: readonly PublishCall[], news: News): Promise<Results | null> {
    const { workspaces, recognitions } = news
    const lease = await leaseIds.next(tx)
    tx.onDoubt(() => leaseIds.doubt(lease))
    const { wanted, due, values } = rowsNow(calls, news, lease)
    const keeping = locks.keep(tx, workspaces)
    const storing = tx.row<Stored>(publishSql.store, values)
    const trimming = recent.trim(tx, due)
    tx.endHere()
    const [stored] = await Promise.all([storing, keeping, trimming])
    if (stored!.fresh) {
      tx.onCommit(() => recent.listed(due))
      return answers(calls, recognitions, wanted, { ...stored!, lease })
    }
    matching.forget(workspaces)
    return null
  }

  return {
    async within(tx, calls) {
      const news = await newsOf(tx, calls)
      return news.events.length === 0 ? nothingNew(calls, news) : storeLocked(tx, calls, news)
    },
    async alone(tx, calls) {
      const news = await newsOf(tx, calls)
      if (news.events.length === 0) return nothingNew(calls, news)
      const store = matching.knows(news.workspaces) ? storeAtOnce : storeLocked
      return store(tx, calls, news)
    },
  }
}

/** What is to be stored of some calls. */
interface News {
  readonly recognitions: readonly Recognition[][]
  /** Events that are stored for the first time, in the order of their calls. */
  readonly placed: readonly NewEvent[]
  readonly events: readonly EventToStore[]
  readonly workspaces: ReadonlySet<number>
}

async function newsOf(tx: Tx, calls: readonly PublishCall[]): Promise<News> {
  const recognitions = await recognizeAll(tx, calls)
  const placed = newEvents(calls, recognitions)
  const events = placed.map(({ event }) => event)
  return { recognitions, placed, events, workspaces: new Set(events.map((event) => event.workspaceId)) }
}

const nothingNew = (calls: readonly PublishCall[], { recognitions }: News): Results =>
  answers(calls, recognitions, [], null)

interface ToStore {
  readonly nodeId: number
  readonly lease: number
  readonly workspaces: ReadonlySet<number>
  /** What is known of the sets of webhooks of the workspaces. */
  readonly versions: readonly (number | null)[]
  readonly events: readonly EventToStore[]
  readonly wanted: readonly Wanted[]
  /** Those of the events that go on the lists of the newest of their types. */
  readonly listed: readonly EventToStore[]
}

/** @returns what {@link publishSql.store} is given */
function valuesOf({
  nodeId,
  lease,
  workspaces,
  versions,
  events,
  wanted,
  listed,
}: ToStore): readonly unknown[] {
  const bodies = packTexts(events.map((event) => event.body))
  const marks = packBytes(events.map((event) => event.fingerprint))
  return [
    numbers(workspaces),
    numbers(versions),
    nodeId,
    lease,
    numbers(events.map((event) => event.id)),
    numbers(events.map((event) => event.workspaceId)),
    texts(events.map((event) => event.type)),
    texts(events.map((event) => event.broughtId)),
    marks.bytes,
    marks.offsets,
    marks.lengths,
    bodies.bytes,
    bodies.offsets,
    bodies.lengths,
    numbers(events.map((event) => event.createdAt)),
    numbers(wanted.map(({ of }) => of.event.id)),
    numbers(wanted.map(({ webhookId }) => webhookId)),
    numbers(wanted.map(({ of }) => of.event.createdAt)),
    booleans(wanted.map(({ leased }) => leased)),
    numbers(listed.map((event) => event.workspaceId)),
    texts(listed.map((event) => event.type)),
    numbers(listed.map((event) => event.createdAt)),
    numbers(listed.map((event) => event.id)),
  ]
}

/** Goes through the statement of a publish with nothing in it: it fails, or waits for locks of tables, as a publish would. */
export async function storeNothing(tx: Tx): Promise<void> {
  const nothing = { nodeId: 0, lease: 0, workspaces: new Set<number>() }
  const none = { versions: [], events: [], wanted: [], listed: [] }
  await tx.run(publishSql.store, valuesOf({ ...nothing, ...none }))
}

export function publishVerbs(store: Store, publish: Publish): Pick<VerbTable, 'publish'> {
  return {
    publish: {
      ...hot(writes<'publish'>(async (tx, params) => (await publish.within(tx, [params]))[0]!)),
      prepare: (params) => prepareDays(store, [params]),
    },
  }
}

/** Makes the days that the events of these calls belong to. */
export function prepareDays({ partitions }: Store, calls: readonly PublishCall[]): Promise<void> {
  return partitions.ensure(new Set(calls.flatMap(({ batches }) => batches.flat()).map((e) => e.createdAt)))
}

async function recognizeAll(tx: Tx, calls: readonly PublishCall[]): Promise<readonly Recognition[][]> {
  const all = await recognize(
    tx,
    calls.flatMap(({ batches }) => batches),
  )
  let next = 0
  return calls.map(({ batches }) => batches.map(() => all[next++]!))
}

/** Events that are stored for the first time, in the order of their calls. */
function newEvents(calls: readonly PublishCall[], recognitions: readonly Recognition[][]): NewEvent[] {
  return calls.flatMap(({ batches }, call) =>
    batches.flatMap((events, batch) => {
      const known = recognitions[call]![batch]!
      if (known.conflict !== null) return []
      const placed = events.map((event, position) => ({ call, batch, position, event }))
      return placed.filter(({ position }) => known.repeats[position] === null)
    }),
  )
}

function wantedOf(
  calls: readonly PublishCall[],
  events: readonly NewEvent[],
  match: (event: EventToStore) => readonly { readonly id: number; readonly version: number }[],
): Wanted[] {
  const grants = calls.map(({ room, withhold }) => ({ room, withheld: new Set(withhold) }))
  const wanted: Wanted[] = []
  for (const of of events) {
    const grant = grants[of.call]!
    for (const { id: webhookId, version: webhookVersion } of match(of.event)) {
      const leased = grant.room > 0 && !grant.withheld.has(webhookId)
      if (leased) grant.room--
      wanted.push({ of, webhookId, webhookVersion, leased })
    }
  }
  return wanted
}

function answers(
  calls: readonly PublishCall[],
  recognitions: readonly Recognition[][],
  wanted: readonly Wanted[],
  stored: (Stored & { readonly lease: number }) | null,
): PublishResult[][] {
  const results = calls.map(({ batches }, call) =>
    batches.map((_, at) => emptyAnswer(recognitions[call]![at]!)),
  )
  wanted.forEach(({ of, webhookId, webhookVersion, leased }, at) => {
    const answer = results[of.call]![of.batch]!
    if (answer.outcome !== 'accepted') return
    answer.deliveries++
    if (leased && stored!.lives) {
      answer.leased.push({
        deliveryId: stored!.ids![at]!,
        createdAt: of.event.createdAt,
        lease: stored!.lease,
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

function emptyAnswer(known: Recognition) {
  if (known.conflict !== null) return { outcome: 'id_conflict' as const, event: known.conflict }
  const [leased, unleased]: [Leased[], Set<number>] = [[], new Set()]
  return { outcome: 'accepted' as const, repeats: known.repeats, deliveries: 0, leased, unleased }
}
