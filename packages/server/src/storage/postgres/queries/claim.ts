import { groupBy } from '../../../core/groupBy.ts'
import { portionOf } from '../../../core/limit.ts'
import { CLAIMABLE } from '../../queries/queue.ts'
import { perSecond } from '../../queries/rowMappers.ts'
import { columns } from '../../queries/sql.ts'
import type { LeasedDelivery, WebhookRef } from '../../rows.ts'
import { type CallParams, type CallResult, type CallTable, hot, writes } from '../call.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { numbers, texts } from '../values.ts'
import { freeLeases } from './leases.ts'

/** Webhooks per call. */
const MAX_WEBHOOKS = 2_000

export const claimSql = {
  /** A skip scan: one step of the index for each webhook, however many deliveries each has. */
  webhooks: `
    WITH RECURSIVE first AS (
      (SELECT webhook_id, due_at FROM waiting WHERE webhook_id > $1 ORDER BY webhook_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_id, next.due_at
      FROM first CROSS JOIN LATERAL (
        SELECT webhook_id, due_at FROM waiting WHERE webhook_id > first.webhook_id
        ORDER BY webhook_id, due_at LIMIT 1) next)
    SELECT f.webhook_id, f.due_at, w.workspace_id, w.rate, w.max_in_flight
    FROM (SELECT webhook_id, due_at FROM first LIMIT $2) f
    LEFT JOIN LATERAL (
      SELECT s.id AS workspace_id, w.max_per_1000_s AS rate, w.max_in_flight FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
      WHERE w.id = f.webhook_id AND ${CLAIMABLE} OFFSET 0) w ON true
    ORDER BY f.webhook_id`,
  /** Those of these webhooks with limits that the node may send to. */
  owned: `
    SELECT webhook_id FROM limit_owners WHERE webhook_id = ANY ($1::bigint[]) AND node_id = $2`,
  /** Takes webhooks without a living owner. */
  own: `
    INSERT INTO limit_owners AS o (webhook_id, node_id)
    SELECT x.id, n.id FROM unnest($1::bigint[]) AS x (id) JOIN nodes n ON n.id = $2 AND n.lease_until > now_ms()
    WHERE NOT EXISTS (SELECT 1 FROM limit_owners h JOIN nodes m ON m.id = h.node_id WHERE h.webhook_id = x.id)
    ORDER BY x.id
    ON CONFLICT (webhook_id) DO UPDATE SET node_id = excluded.node_id
    WHERE NOT EXISTS (SELECT 1 FROM nodes m WHERE m.id = o.node_id)
    RETURNING webhook_id`,
  /** Skips deliveries that another node is claiming right now. */
  pick: `
    SELECT x.n, x.webhook_id, w.version, d.place::text AS place, d.delivery_id, d.due_at, d.created_at
    FROM unnest($1::bigint[]) WITH ORDINALITY AS x (webhook_id, n)
    JOIN webhooks w ON w.id = x.webhook_id JOIN workspaces s ON s.id = w.workspace_id AND ${CLAIMABLE}
    CROSS JOIN LATERAL (
      SELECT ctid AS place, delivery_id, due_at, created_at FROM waiting WHERE webhook_id = x.webhook_id
      ORDER BY due_at, delivery_id LIMIT $2 FOR UPDATE SKIP LOCKED) d
    ORDER BY x.n, d.due_at, d.delivery_id`,
  /**
   * Rows of `waiting` are deleted by their physical position and not by their key: the planner may assume that the table is
   * empty, as it often is, and read all of it. It checks the node again, whose lease may have expired while the call waited for
   * locks.
   */
  take: `
    WITH node AS MATERIALIZED (SELECT 1 FROM nodes WHERE id = $5 AND lease_until > now_ms()),
    gone AS (DELETE FROM waiting WHERE ctid = ANY ($1::tid[]) AND EXISTS (SELECT 1 FROM node)),
    taken AS (
      UPDATE deliveries d SET lease = $4
      FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS p (delivery_id, created_at, n)
      WHERE d.id = p.delivery_id AND d.created_at = p.created_at AND d.status = 'pending'
        AND EXISTS (SELECT 1 FROM node)
      RETURNING p.n, d.id, d.event_id, d.webhook_id, d.created_at, d.attempts, d.trigger, d.run_start,
        d.retry_number, d.replay_id),
    lease AS (
      INSERT INTO leases (id, node_id, first_id, last_id, from_time, to_time, open, delivery_ids, times)
      SELECT $4, $5, min(id), max(id), min(created_at), max(created_at), count(*), array_agg(id), array_agg(created_at)
      FROM taken HAVING count(*) > 0)
    SELECT ${columns('id webhookId eventId createdAt attempts trigger runStart retryNumber replayId', 't')}, $4::bigint AS lease,
      ${columns('workspaceId body traceparent', 'e')}, e.brought_id AS "eventPublicId", e.type AS "eventType"
    FROM taken t JOIN events e ON e.id = t.event_id AND e.created_at = t.created_at
    ORDER BY t.n`,
  lives: 'SELECT 1 FROM nodes WHERE id = $1 AND lease_until > now_ms()',
}

interface Waiting {
  readonly webhook_id: number
  readonly due_at: number
  /** `null`: nothing may be sent to the webhook now. */
  readonly workspace_id: number | null
  /** Its limit. */
  readonly rate: number | null
  readonly max_in_flight: number | null
}

type Due = Waiting & { readonly workspace_id: number }

interface Picked {
  readonly webhook_id: number
  readonly version: number
  /** The physical position of the row in `waiting`; the row is locked, so the position stays valid. */
  readonly place: string
  readonly delivery_id: number
  readonly due_at: number
  readonly created_at: number
}

type Params = CallParams<'claimDue'>
type Result = CallResult<'claimDue'>

/** The deliveries that one claim has found so far. */
interface Found {
  readonly picked: Picked[]
  readonly more: WebhookRef[]
  elsewhere: readonly WebhookRef[]
  nextDueAt: number | null
}

const NOTHING: Result = { deliveries: [], more: [], elsewhere: [], nextAfterWebhookId: 0, nextDueAt: null }

export function claimCalls({ leaseIds, locks, connections }: Store): Pick<CallTable, 'claimDue'> {
  /** Takes the chosen deliveries. */
  async function take(tx: Tx, nodeId: number, picked: readonly Picked[]): Promise<LeasedDelivery[]> {
    if (picked.length === 0) return []
    const lease = await leaseIds.next(tx)
    const taken = await tx.rows<Omit<LeasedDelivery, 'webhookVersion'>>(claimSql.take, [
      texts(picked.map((row) => row.place)),
      numbers(picked.map((row) => row.delivery_id)),
      numbers(picked.map((row) => row.created_at)),
      lease,
      nodeId,
    ])
    const versions = new Map(picked.map((row) => [row.webhook_id, row.version]))
    tx.onDoubt(() => leaseIds.doubt(lease))
    return taken.map((row) => ({ ...row, webhookVersion: versions.get(row.webhookId)! }))
  }

  /** Goes through webhooks with due deliveries, in turn, until `limit` is reached. @returns the last one that it reached */
  async function pick(tx: Tx, due: readonly Due[], params: Params, found: Found): Promise<number | null> {
    const { limit, perWebhook, now } = params
    let at = 0
    // A few webhooks usually fill the limit; each round that does not is followed by a larger one.
    for (let size = Math.max(Math.ceil(limit / perWebhook), 1); at < due.length; size *= 2) {
      const chunk = due.slice(at, at + size)
      at += chunk.length
      const room = Math.min(perWebhook, limit - found.picked.length)
      const webhookIds = numbers(chunk.map((row) => row.webhook_id))
      const rows = await tx.rows<Picked>(claimSql.pick, [webhookIds, room + 1])
      const byWebhook = groupBy(rows, (row) => row.webhook_id)
      for (const webhook of chunk) {
        takeFrom(webhook, byWebhook.get(webhook.webhook_id) ?? [], { limit, perWebhook, now }, found)
        if (found.picked.length === limit) return webhook.webhook_id
      }
    }
    return null
  }

  /** Skips webhooks with limits that another node sends to. */
  async function ownedOf(tx: Tx, due: readonly Due[], nodeId: number): Promise<readonly Due[]> {
    const limited = due.filter(isLimitedRow).map((row) => row.webhook_id)
    if (limited.length === 0) return due
    const owned = await tx.rows<{ webhook_id: number }>(claimSql.owned, [numbers(limited), nodeId])
    const mine = new Set(owned.map((row) => row.webhook_id))
    const others = limited.filter((id) => !mine.has(id))
    if (others.length > 0) {
      const taken = await tx.rows<{ webhook_id: number }>(claimSql.own, [numbers(others), nodeId])
      for (const row of taken) mine.add(row.webhook_id)
    }
    return due.filter((row) => !isLimitedRow(row) || mine.has(row.webhook_id))
  }

  /** Frees leases whose commit was in doubt. In a separate transaction, since it locks rows without locking workspaces first. */
  async function freeDoubtful(): Promise<void> {
    const { doubtful } = leaseIds
    if (doubtful.length === 0) return
    await connections.call({ pool: 'hot', isolation: 'write' }, (tx) => freeLeases(tx, doubtful))
    leaseIds.lookedFor(doubtful)
  }

  return {
    claimDue: {
      prepare: freeDoubtful,
      ...hot(
        writes<'claimDue'>(async (tx, params): Promise<Result> => {
          const [lives, waiting] = await Promise.all([
            tx.row(claimSql.lives, [params.nodeId]),
            tx.rows<Waiting>(claimSql.webhooks, [params.afterWebhookId, MAX_WEBHOOKS]),
          ])
          if (lives === undefined) return NOTHING
          const except = new Set(params.except)
          const exceptWorkspaces = new Set(params.exceptWorkspaces)
          const open = waiting.filter(isClaimable).filter((row) => !except.has(row.webhook_id))
          const allDue = open.filter((row) => row.due_at <= params.now)
          const others = allDue.filter((row) => !exceptWorkspaces.has(row.workspace_id))
          const leftOut = allDue.filter((row) => exceptWorkspaces.has(row.workspace_id))
          const found: Found = { picked: [], more: leftOut.map(refOf), elsewhere: [], nextDueAt: null }
          for (const row of open) if (row.due_at > params.now) sawNext(found, row.due_at)
          let stoppedAt: number | null = null
          if (others.length > 0) {
            // From here on, no webhook with claimed deliveries can be disabled.
            await locks.keep(
              tx,
              others.map((row) => row.workspace_id),
            )
            const due = await ownedOf(tx, others, params.nodeId)
            if (due.length < others.length) found.elsewhere = without(others, due).map(refOf)
            stoppedAt = await pick(tx, due, params, found)
          }
          const deliveries = await take(tx, params.nodeId, found.picked)
          const lookedAtAll = waiting.length < MAX_WEBHOOKS
          const nextAfterWebhookId = stoppedAt ?? (lookedAtAll ? 0 : waiting.at(-1)!.webhook_id)
          const { more, elsewhere, nextDueAt } = found
          return { deliveries, more, elsewhere, nextAfterWebhookId, nextDueAt }
        }),
      ),
    },
  }
}

const isClaimable = (row: Waiting): row is Due => row.workspace_id !== null

const isLimitedRow = ({ rate, max_in_flight }: Due): boolean => rate !== null || max_in_flight !== null

/** How many deliveries of a webhook one claim takes at most. */
function portion(webhook: Due, perWebhook: number): number {
  if (!isLimitedRow(webhook)) return perWebhook
  const { rate, max_in_flight: maxInFlight } = webhook
  return Math.min(perWebhook, portionOf({ maxPerSecond: perSecond(rate), maxInFlight }))
}

function without(rows: readonly Due[], some: readonly Due[]): Due[] {
  const left = new Set(rows)
  for (const row of some) left.delete(row)
  return [...left]
}

const refOf = ({ webhook_id, workspace_id }: Due): WebhookRef => ({
  webhookId: webhook_id,
  workspaceId: workspace_id,
})

/** @param rows of one webhook, one more than may be taken: it shows whether more is due, or when the next will be */
function takeFrom(
  webhook: Due,
  rows: readonly Picked[],
  { limit, perWebhook, now }: Pick<Params, 'limit' | 'perWebhook' | 'now'>,
  found: Found,
): void {
  const room = Math.min(portion(webhook, perWebhook), limit - found.picked.length)
  for (const [index, row] of rows.entries()) {
    if (row.due_at > now) {
      sawNext(found, row.due_at)
      return
    }
    if (index === room) {
      found.more.push(refOf(webhook))
      return
    }
    found.picked.push(row)
  }
}

function sawNext(found: Found, dueAt: number): void {
  if (found.nextDueAt === null || dueAt < found.nextDueAt) found.nextDueAt = dueAt
}

export const pullInSql = {
  /** A skip scan, as in a claim. Rows that others have locked are skipped for now. */
  pullIn: `
    WITH RECURSIVE first AS (
      (SELECT webhook_id FROM waiting WHERE webhook_id > $1 ORDER BY webhook_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_id
      FROM first CROSS JOIN LATERAL (
        SELECT webhook_id FROM waiting WHERE webhook_id > first.webhook_id ORDER BY webhook_id, due_at LIMIT 1) next),
    looked AS MATERIALIZED (SELECT webhook_id FROM first LIMIT $4),
    picked AS MATERIALIZED (
      SELECT far.place, far.delivery_id, far.created_at
      FROM looked CROSS JOIN LATERAL (
        SELECT ctid AS place, delivery_id, created_at FROM waiting
        WHERE webhook_id = looked.webhook_id AND due_at > $3
        ORDER BY due_at, delivery_id LIMIT $4 FOR UPDATE SKIP LOCKED) far
      LIMIT $4),
    moved AS (UPDATE waiting SET due_at = $2 WHERE ctid = ANY (ARRAY(SELECT place FROM picked))),
    changed AS (
      UPDATE deliveries d SET next_attempt_at = $2
      FROM picked p WHERE d.id = p.delivery_id AND d.created_at = p.created_at AND d.status = 'pending')
    SELECT (SELECT count(*) FROM picked) AS pulled,
      (SELECT count(*) FROM looked) AS looked,
      (SELECT max(webhook_id) FROM looked) AS last`,
}

interface Step {
  readonly pulled: number
  readonly looked: number
  readonly last: number | null
}

export function pullInCalls(_store: Store): Pick<CallTable, 'pullInDue'> {
  return {
    pullInDue: writes(async (tx, { now, latest, limit, afterWebhookId }) => {
      const step = (await tx.row<Step>(pullInSql.pullIn, [afterWebhookId, now, latest, limit]))!
      const { pulled, looked, last } = step
      // The same webhooks may have more; changed ones no longer match.
      if (pulled === limit) return { pulled, nextAfterWebhookId: afterWebhookId }
      return { pulled, nextAfterWebhookId: looked < limit ? 0 : last! }
    }),
  }
}
