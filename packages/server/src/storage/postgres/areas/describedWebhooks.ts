import { describe } from '../../records/describedWebhooks.ts'
import type { ErrorRow } from '../../records/notifications.ts'
import { WEBHOOK_COLUMNS, type WebhookRow } from '../../records/webhooks.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { Workspace } from '../../rows.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, snapshot, type VerbTable } from '../verb.ts'
import { notificationSql } from './notifications.ts'

export const describedSql = {
  /** Webhook by webhook, whatever the planner thinks of a database that has just begun: hence the OFFSETs. */
  webhooks: `
    SELECT ${WEBHOOK_COLUMNS} FROM unnest($1::bigint[]) x
    CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE id = x OFFSET 0) w
    CROSS JOIN LATERAL (SELECT * FROM workspaces WHERE id = w.workspace_id OFFSET 0) s
    WHERE w.deleted_at IS NULL AND s.deleted_at IS NULL`,
  workspaces: `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = ANY ($1::bigint[]) AND deleted_at IS NULL`,
}

export function describedVerbs(_store: Store): Pick<VerbTable, 'describeWebhooks' | 'describeWorkspaces'> {
  return {
    describeWebhooks: snapshot(async (tx, { webhookIds }) => {
      const rows = await tx.rows<WebhookRow>(describedSql.webhooks, [numbers(webhookIds)])
      const [found, ...errors] = await Promise.all([
        workspacesOf(
          tx,
          rows.map((row) => row.workspace_id),
        ),
        ...rows.map(({ id }) => tx.rows<ErrorRow>(notificationSql.lastErrors, [id])),
      ])
      const workspaces = new Map(found.map((one) => [one.id, one]))
      return rows.map((row, at) => describe(row, workspaces, errors[at]!))
    }),
    describeWorkspaces: reads((tx, { workspaceIds }) => workspacesOf(tx, workspaceIds)),
  }
}

async function workspacesOf(tx: Tx, ids: Iterable<number>): Promise<Workspace[]> {
  const rows = await tx.rows<WorkspaceRow>(describedSql.workspaces, [numbers(new Set(ids))])
  return rows.map(toWorkspace)
}
