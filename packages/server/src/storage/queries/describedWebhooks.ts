import { describe } from '../rowMappers/describedWebhooks.ts'
import type { ErrorRow } from '../rowMappers/notifications.ts'
import { WEBHOOK_COLUMNS, type WebhookRow } from '../rowMappers/webhooks.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../rowMappers/workspaces.ts'
import type { Workspace } from '../rows.ts'
import { notificationSql } from './notifications.ts'
import { list, listAtOnce, type Queries } from './query.ts'
import { isOneOf, joinEach, numberList, records, sql, tableOf } from './sql.ts'
import { all, rows, type Work } from './work.ts'

export const describedSql = {
  webhooks: sql`
    SELECT ${WEBHOOK_COLUMNS} FROM ${tableOf('x', '$1', { id: 'bigint' })}
    ${joinEach('webhooks', 'w', 'w.id = x.id AND w.deleted_at IS NULL')}
    ${joinEach('workspaces', 's', 's.id = w.workspace_id AND s.deleted_at IS NULL')}`,
  workspaces: sql`
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id ${isOneOf('$1', 'bigint')} AND deleted_at IS NULL`,
}

export const describedQueries: Queries<'describeWebhooks' | 'describeWorkspaces'> = {
  describeWebhooks: listAtOnce(function* ({ webhookIds }) {
    const found = yield* rows<WebhookRow>(describedSql.webhooks, [records(webhookIds.map((id) => ({ id })))])
    const [workspaces, errors] = yield* all(
      workspacesOf(found.map((row) => row.workspace_id)),
      all(...found.map(({ id }) => rows<ErrorRow>(notificationSql.lastErrors, [id]))),
    )
    const byId = new Map(workspaces.map((one) => [one.id, one]))
    return found.map((row, at) => describe(row, byId, errors[at]!))
  }),
  describeWorkspaces: list(({ workspaceIds }) => workspacesOf(workspaceIds)),
}

function* workspacesOf(ids: Iterable<number>): Work<Workspace[]> {
  const found = yield* rows<WorkspaceRow>(describedSql.workspaces, [numberList(new Set(ids))])
  return found.map(toWorkspace)
}
