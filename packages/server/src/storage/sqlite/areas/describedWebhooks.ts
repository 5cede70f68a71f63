import { describe } from '../../records/describedWebhooks.ts'
import type { ErrorRow } from '../../records/notifications.ts'
import { WEBHOOK_COLUMNS, type WebhookRow } from '../../records/webhooks.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { Workspace } from '../../rows.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { lastErrorsSql } from './notifications.ts'

export const describedSql = {
  webhook: `
    SELECT ${WEBHOOK_COLUMNS} FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.deleted_at IS NULL AND s.deleted_at IS NULL AND w.id = ?`,
  workspace: `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = ? AND deleted_at IS NULL`,
}

export function describedVerbs({ db }: Store): Pick<VerbTable, 'describeWebhooks' | 'describeWorkspaces'> {
  const webhook = db.prepare<[number], WebhookRow>(describedSql.webhook)
  const workspace = db.prepare<[number], WorkspaceRow>(describedSql.workspace)
  const lastErrors = db.prepare<[number], ErrorRow>(lastErrorsSql)

  function workspacesOf(ids: Iterable<number>): Workspace[] {
    return [...new Set(ids)].flatMap((id) => {
      const row = workspace.get(id)
      return row === undefined ? [] : [toWorkspace(row)]
    })
  }

  return {
    describeWebhooks({ webhookIds }) {
      const rows = webhookIds.flatMap((id) => webhook.get(id) ?? [])
      const found = workspacesOf(rows.map((row) => row.workspace_id))
      const workspaces = new Map(found.map((one) => [one.id, one]))
      return rows.map((row) => describe(row, workspaces, lastErrors.all(row.id)))
    },
    describeWorkspaces: ({ workspaceIds }) => workspacesOf(workspaceIds),
  }
}
