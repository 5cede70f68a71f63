import type { CallParams, CallResult } from '../callGroups.ts'
import type { FailingPosition, PendingDelivery, WebhookCounts } from '../interface/currentState.ts'
import { LEASED, sameDay, WAITING } from './layout.ts'
import { listInTransaction, type Queries } from './query.ts'
import { type Boolish, EFFECTIVE_STATUS, FAILING, IN_CUSTOMER_WORKSPACE, LIMITED } from './rowMappers.ts'
import { columns, each, either, type Fragment, indexedBy, joinEach, sql, typed } from './sql.ts'
import { row, rows, rowsOfEach, type Work } from './work.ts'

/** Webhooks that one call looks at for the oldest pending delivery: some milliseconds. */
const MAX_WEBHOOKS = 500
/** Leased deliveries that are looked at: more than nodes hold. */
const MAX_LEASED = 10_000

const ITS_WORKSPACE = joinEach('workspaces', 's', 's.id = w.workspace_id')
const OF_WORKSPACE = 'w.workspace_id = $2'

const counts = (ofWebhooks: (index: string) => Fragment) => sql`
  SELECT
    (SELECT CAST(coalesce(sum(c.number), 0) AS BIGINT) FROM (
        SELECT w.workspace_id, count(*) AS number FROM ${ofWebhooks('webhooks_on')}
          AND w.status = 'on' AND w.deleted_at IS NULL GROUP BY w.workspace_id) c
      JOIN workspaces s ON s.id = c.workspace_id WHERE s.suspended_at IS NULL AND ${IN_CUSTOMER_WORKSPACE}) AS "on",
    (SELECT count(*) FROM (SELECT * FROM ${ofWebhooks('webhooks_failing')}
        AND w.failing_since IS NOT NULL AND w.status = 'on' AND w.deleted_at IS NULL) w ${ITS_WORKSPACE}
      WHERE ${FAILING}) AS failing,
    (SELECT count(*) FROM (SELECT * FROM ${ofWebhooks('webhooks_disabled')} AND w.disabled_at >= $1
        AND w.status = 'off' AND w.off_reason IN ('failing', 'gone') AND w.deleted_at IS NULL) w ${ITS_WORKSPACE}
      WHERE ${IN_CUSTOMER_WORKSPACE}) AS disabled`

const failing = (ofWorkspace: string | Fragment) => sql`
  SELECT w.id, w.failing_since AS "failingSince" FROM webhooks w ${ITS_WORKSPACE}
  WHERE ${FAILING} AND (w.failing_since, w.id) > ($1, $3) AND ${ofWorkspace}
  ORDER BY w.failing_since, w.id LIMIT $4`

/** Of one webhook `x`, whose earlier deliveries may still be being canceled. */
const candidate = (found: Fragment) =>
  each({ id: 'bigint', canceled_through: 'bigint' }, sql`SELECT ${columns('id createdAt')} FROM ${found}`)

export const currentStateSql = {
  countAll: counts((index) => sql`webhooks w ${indexedBy(index)} WHERE ${typed('$2', 'bigint')} IS NULL`),
  countOfWorkspace: counts(() => sql`webhooks w ${indexedBy('webhooks_of_workspace')} WHERE ${OF_WORKSPACE}`),
  failing: failing(OF_WORKSPACE),
  failingOfAll: failing(sql`${typed('$2', 'bigint')} IS NULL`),
  webhook: sql`
    SELECT id, coalesce(canceled_through, 0) AS canceled_through FROM webhooks
    WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
  webhooks: sql`
    SELECT id, coalesce(canceled_through, 0) AS canceled_through FROM webhooks
    WHERE workspace_id = $1 AND deleted_at IS NULL AND id > $2 ORDER BY id LIMIT ${String(MAX_WEBHOOKS)}`,
  /** SQLite: those of all with something that waits, one step down the index for each. */
  waitingWebhooks: either({
    sqlite: `
      WITH RECURSIVE found (id, number) AS (
        SELECT (SELECT min(webhook_id) FROM ${WAITING.sqlite} WHERE webhook_id > $1), 1
        UNION ALL
        SELECT (SELECT min(webhook_id) FROM ${WAITING.sqlite} WHERE webhook_id > found.id), number + 1
        FROM found WHERE found.id IS NOT NULL AND number < ${MAX_WEBHOOKS})
      SELECT f.id, coalesce(w.canceled_through, 0) AS canceled_through
      FROM found f LEFT JOIN webhooks w ON w.id = f.id WHERE f.id IS NOT NULL`,
    postgres: 'SELECT NULL::bigint AS id, NULL::bigint AS canceled_through WHERE $1::bigint IS NULL',
  }),
  /**
   * PostgreSQL: for all webhooks, in one pass over waiting deliveries, which is faster than a lookup of each day for each
   * webhook.
   */
  oldestOfAll: either({
    sqlite: 'SELECT NULL AS id, NULL AS "createdAt" WHERE false',
    postgres: `
      SELECT delivery_id AS id, created_at AS "createdAt" FROM waiting t
      WHERE NOT EXISTS (
        SELECT 1 FROM webhooks w
        WHERE w.canceled_through IS NOT NULL AND w.id = t.webhook_id AND t.delivery_id <= w.canceled_through)
      ORDER BY created_at, delivery_id LIMIT 1`,
  }),
  /** Deliveries with an attempt count by their event's time, leased or not. */
  retrying: candidate({
    sqlite: `deliveries INDEXED BY deliveries_retrying
      WHERE webhook_id = x.id AND status = 'pending' AND attempts > 0 AND id > x.canceled_through
      ORDER BY created_at LIMIT 1`,
    postgres: `deliveries WHERE webhook_id = x.id AND ended_badly = 'retrying' AND id > x.canceled_through
      ORDER BY created_at LIMIT 1`,
  }),
  /** A delivery that waits for its first attempt has been due since its event. */
  waiting: candidate(sql`
    ${WAITING} w WHERE webhook_id = x.id AND id > x.canceled_through ORDER BY due_at LIMIT 1`),
  leased: sql`
    SELECT h.id, h.webhook_id AS "webhookId", h.created_at AS "createdAt"
    FROM (SELECT * FROM ${LEASED} h LIMIT ${String(MAX_LEASED)}) h
    ${joinEach('deliveries', 'd', sql`d.id = h.id AND d.status = 'pending' ${sameDay('d', 'h')}`)}`,
  one: sql`
    SELECT ${columns('id webhookId createdAt nextAttemptAt attempts runStart', 'd')},
      w.public_id AS "webhookPublicId", s.id AS "workspaceId", s.dialect,
      d.lease IS NOT NULL AS leased, ${LIMITED} AS limited, s.suspended_at IS NOT NULL AS suspended, ${EFFECTIVE_STATUS} AS "webhookStatus",
      (SELECT max(a.started_at + a.duration_ms) FROM attempts a WHERE a.delivery_id = d.id ${sameDay('a', 'd')}) AS "attemptedAt"
    FROM (SELECT * FROM deliveries WHERE id = $1 AND created_at = $2) d
    JOIN webhooks w ON w.id = d.webhook_id JOIN workspaces s ON s.id = w.workspace_id
    WHERE d.status = 'pending'`,
}

interface Asked {
  readonly id: number
  readonly canceled_through: number
}

interface Candidate {
  readonly id: number
  readonly createdAt: number
}

export const currentStateQueries: Queries<'countWebhooks' | 'listFailing' | 'oldestPending'> = {
  countWebhooks: listInTransaction(function* ({ workspaceId, disabledSince }) {
    const { countAll, countOfWorkspace } = currentStateSql
    const statement = workspaceId === null ? countAll : countOfWorkspace
    return (yield* row<WebhookCounts>(statement, [disabledSince, workspaceId]))!
  }),
  listFailing: listInTransaction(function* ({ workspaceId, limit, after }) {
    const { failingOfAll, failing } = currentStateSql
    const { failingSince, id } = after ?? { failingSince: Number.MIN_SAFE_INTEGER, id: 0 }
    const statement = workspaceId === null ? failingOfAll : failing
    return yield* rows<FailingPosition>(statement, [failingSince, workspaceId, id, limit])
  }),
  oldestPending: listInTransaction(oldestPending),
}

function* oldestPending(params: CallParams<'oldestPending'>): Work<CallResult<'oldestPending'>> {
  const webhooks = yield* webhooksOf(params)
  const asked = webhooks.map(({ id, canceled_through }) => ({ id, canceled_through }))
  const through = new Map(webhooks.map(({ id, canceled_through }) => [id, canceled_through]))
  const retrying = yield* rowsOfEach<Candidate>(currentStateSql.retrying, asked)
  const waiting = yield* rowsOfEach<Candidate>(currentStateSql.waiting, asked)
  const leased = yield* rows<Candidate & { readonly webhookId: number }>(currentStateSql.leased)
  const unlisted = params.workspaceId === null ? 0 : Number.POSITIVE_INFINITY
  const held = leased.filter(({ id, webhookId }) => id > (through.get(webhookId) ?? unlisted))
  const ofAll = params.workspaceId === null ? yield* rows<Candidate>(currentStateSql.oldestOfAll) : []
  const [first] = [...retrying.flat(), ...waiting.flat(), ...held, ...ofAll].sort(
    (one, other) => one.createdAt - other.createdAt || one.id - other.id,
  )
  const next = webhooks.length < MAX_WEBHOOKS || params.webhookId !== null ? null : webhooks.at(-1)!.id
  if (first === undefined) return { oldest: null, next }
  type Stored = 'leased' | 'suspended' | 'limited'
  type Row = Omit<PendingDelivery, Stored | 'othersLeased'> & { readonly [Name in Stored]: Boolish }
  const found = yield* row<Row>(currentStateSql.one, [first.id, first.createdAt])
  if (found === undefined) return { oldest: null, next }
  const flags = {
    leased: Boolean(found.leased),
    suspended: Boolean(found.suspended),
    limited: Boolean(found.limited),
    othersLeased: held.some(({ id, webhookId }) => webhookId === found.webhookId && id !== found.id),
  }
  return { oldest: { ...found, ...flags }, next }
}

function webhooksOf({ workspaceId, webhookId, from }: CallParams<'oldestPending'>): Work<readonly Asked[]> {
  if (workspaceId === null) return rows<Asked>(currentStateSql.waitingWebhooks, [from])
  if (webhookId !== null) return rows<Asked>(currentStateSql.webhook, [webhookId, workspaceId])
  return rows<Asked>(currentStateSql.webhooks, [workspaceId, from])
}
