import type { AttemptErrorCode, DeliveryStatus } from '../../core/delivery.ts'
import type { Workspace } from '../rows.ts'
import type { DescribedWebhook, LatestDelivery } from '../storage.ts'
import { isBeingCanceled } from './deliveries.ts'
import { LEASED, sameDay, WAITING } from './layout.ts'
import { type ErrorRow, notificationSql } from './notifications.ts'
import { list, listInTransaction, type Queries } from './query.ts'
import {
  IN_CUSTOMER_WORKSPACE,
  toWebhook,
  WEBHOOK_COLUMNS,
  type WebhookRow,
  WORKSPACE,
} from './rowMappers.ts'
import {
  columns,
  each,
  type Fragment,
  indexedBy,
  isOneOf,
  joinEach,
  numberList,
  records,
  sql,
  tableOf,
} from './sql.ts'
import { all, rows, rowsOfEach, type Work } from './work.ts'

/** Leased deliveries, looked at for all webhooks: some 10 ms. */
const MAX_LEASED = 10_000
const ITS_DAY: Fragment = {
  sqlite: '',
  postgres: 'AND created_at = x.created_at AND created_at BETWEEN $3 AND $4',
}

export const overviewSql = {
  webhooks: sql`
    SELECT id, canceled_through AS "canceledThrough" FROM webhooks
    WHERE id ${isOneOf('$1', 'bigint')} AND workspace_id = $2 AND deleted_at IS NULL`,
  latest: each(
    { webhook_id: 'bigint' },
    sql`
      SELECT ${columns('id createdAt status firstStartedAt firstStatusCode')}
      FROM deliveries ${indexedBy('deliveries_of_webhook')}
      WHERE webhook_id = x.webhook_id ORDER BY created_at DESC, id DESC LIMIT 1`,
  ),
  latestAttempts: each(
    { id: 'bigint', created_at: 'bigint' },
    sql`
      SELECT ${columns('startedAt statusCode errorCode')} FROM attempts
      WHERE delivery_id = x.id ${ITS_DAY} ORDER BY number DESC LIMIT 1`,
  ),
  waiting: each(
    { webhook_id: 'bigint', canceled_through: 'bigint' },
    sql`
      SELECT count(*) AS count FROM (
        SELECT w.id FROM ${WAITING} w WHERE w.webhook_id = x.webhook_id LIMIT $3) looked
      WHERE id > x.canceled_through`,
  ),
  leased: sql`
    SELECT h.id, h.webhook_id AS "webhookId"
    FROM (SELECT * FROM ${LEASED} h LIMIT ${String(MAX_LEASED)}) h
    ${joinEach('deliveries', 'd', sql`d.id = h.id AND d.status = 'pending' ${sameDay('d', 'h')}`)}
    WHERE h.webhook_id ${isOneOf('$1', 'bigint')}`,
}

interface LatestRow {
  readonly id: number
  readonly createdAt: number
  readonly status: DeliveryStatus
  readonly firstStartedAt: number | null
  readonly firstStatusCode: number | null
}

interface LatestAttempt {
  readonly startedAt: number
  readonly statusCode: number | null
  readonly errorCode: AttemptErrorCode | null
}

export const overviewQueries: Queries<'webhookStates'> = {
  webhookStates: listInTransaction(function* ({ workspaceId, webhookIds, maxPending }) {
    const known = yield* rows<{ readonly id: number; readonly canceledThrough: number | null }>(
      overviewSql.webhooks,
      [numberList(webhookIds), workspaceId],
    )
    const through = new Map(known.map(({ id, canceledThrough }) => [id, canceledThrough]))
    const ids = webhookIds.filter((id) => through.has(id))
    const asked = ids.map((id) => ({ webhook_id: id, canceled_through: through.get(id) ?? 0 }))
    const [newest, waiting, leased] = yield* all(
      rowsOfEach<LatestRow>(
        overviewSql.latest,
        ids.map((id) => ({ webhook_id: id })),
      ),
      rowsOfEach<{ readonly count: number }>(overviewSql.waiting, asked, null, [maxPending]),
      rows<{ readonly id: number; readonly webhookId: number }>(overviewSql.leased, [numberList(ids)]),
    )
    const found = newest.flat()
    const times = found.map(({ createdAt }) => createdAt)
    const attempts = yield* rowsOfEach<LatestAttempt>(
      overviewSql.latestAttempts,
      found.map(({ id, createdAt }) => ({ id, created_at: createdAt })),
      null,
      [Math.min(...times), Math.max(...times)],
    )
    const attemptOf = new Map(found.map(({ id }, at) => [id, attempts[at]![0]]))
    return ids.map((webhookId, at) => {
      const canceledThrough = through.get(webhookId)!
      const row = newest[at]![0]
      const latest =
        row === undefined ? null : toLatestDelivery({ ...row, canceledThrough }, attemptOf.get(row.id))
      const ofWebhook = leased.filter((one) => one.webhookId === webhookId && one.id > (canceledThrough ?? 0))
      return { webhookId, latest, pending: Math.min(waiting[at]![0]!.count + ofWebhook.length, maxPending) }
    })
  }),
}

/** @param attempt the latest that has a row of its own */
function toLatestDelivery(
  row: LatestRow & { readonly canceledThrough: number | null },
  attempt: LatestAttempt | undefined,
): LatestDelivery {
  const { id, createdAt, status, firstStartedAt: startedAt, firstStatusCode: statusCode } = row
  // The first attempt is stored in the delivery's row if it succeeded.
  const first = startedAt === null ? null : { startedAt, statusCode, errorCode: null }
  return { id, createdAt, status: isBeingCanceled(row) ? 'canceled' : status, attempt: attempt ?? first }
}

export const describedSql = {
  webhooks: sql`
    SELECT ${WEBHOOK_COLUMNS} FROM ${tableOf('x', '$1', { id: 'bigint' })}
    ${joinEach('webhooks', 'w', 'w.id = x.id AND w.deleted_at IS NULL')}
    ${joinEach('workspaces', 's', `s.id = w.workspace_id AND s.deleted_at IS NULL AND ${IN_CUSTOMER_WORKSPACE}`)}`,
  workspaces: sql`
    SELECT ${columns(WORKSPACE)} FROM workspaces WHERE id ${isOneOf('$1', 'bigint')} AND deleted_at IS NULL
      AND kind = 'customer'`,
}

export const describedQueries: Queries<'describeWebhooks' | 'describeWorkspaces'> = {
  describeWebhooks: listInTransaction(function* ({ webhookIds }) {
    const found = yield* rows<WebhookRow>(describedSql.webhooks, [records(webhookIds.map((id) => ({ id })))])
    const [workspaces, errors] = yield* all(
      workspacesOf(found.map(({ workspaceId }) => workspaceId)),
      all(...found.map(({ id }) => rows<ErrorRow>(notificationSql.lastErrors, [id]))),
    )
    const byId = new Map(workspaces.map((one) => [one.id, one]))
    return found.map((row, at) => ({
      webhook: toWebhook(row),
      workspace: byId.get(row.workspaceId)!,
      lastError: toLastError(errors[at]![0]),
    }))
  }),
  describeWorkspaces: list(({ workspaceIds }) => workspacesOf(workspaceIds)),
}

const workspacesOf = (ids: Iterable<number>): Work<readonly Workspace[]> =>
  rows<Workspace>(describedSql.workspaces, [numberList(new Set(ids))])

function toLastError(newest: ErrorRow | undefined): DescribedWebhook['lastError'] {
  if (newest === undefined) return null
  return { code: newest.error_code as AttemptErrorCode, message: newest.error_message ?? '', at: newest.at }
}
