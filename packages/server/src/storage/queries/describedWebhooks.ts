import type { AttemptErrorCode } from '../../core/delivery.ts'
import type { Workspace } from '../rows.ts'
import type { DescribedWebhook } from '../storage.ts'
import { type ErrorRow, notificationSql } from './notifications.ts'
import { list, listAtOnce, type Queries } from './query.ts'
import { toWebhook, WEBHOOK_COLUMNS, type WebhookRow, WORKSPACE } from './records.ts'
import { columns, isOneOf, joinEach, numberList, records, sql, tableOf } from './sql.ts'
import { all, rows, type Work } from './work.ts'

export const describedSql = {
  webhooks: sql`
    SELECT ${WEBHOOK_COLUMNS} FROM ${tableOf('x', '$1', { id: 'bigint' })}
    ${joinEach('webhooks', 'w', 'w.id = x.id AND w.deleted_at IS NULL')}
    ${joinEach('workspaces', 's', 's.id = w.workspace_id AND s.deleted_at IS NULL')}`,
  workspaces: sql`
    SELECT ${columns(WORKSPACE)} FROM workspaces WHERE id ${isOneOf('$1', 'bigint')} AND deleted_at IS NULL`,
}

export const describedQueries: Queries<'describeWebhooks' | 'describeWorkspaces'> = {
  describeWebhooks: listAtOnce(function* ({ webhookIds }) {
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
