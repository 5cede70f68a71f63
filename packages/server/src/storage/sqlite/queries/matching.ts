import type { OnWebhook } from '../../matchCache.ts'
import type { Store } from '../store.ts'

export const matchSql = {
  onWebhooks: `
    SELECT w.id, w.version, w.event_types
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.workspace_id = ? AND w.deleted_at IS NULL AND w.status = 'on'
      AND s.suspended_at IS NULL AND s.deleted_at IS NULL
    ORDER BY w.id`,
}

interface OnRow {
  readonly id: number
  readonly version: number
  readonly event_types: string
}

/** @returns a function that finds the webhooks an event goes to, as of the running transaction. */
export function matcher({ db, matchCache }: Store) {
  const onWebhooks = db.prepare<[number], OnRow>(matchSql.onWebhooks)
  const load = (workspaceId: number) => onWebhooks.all(workspaceId).map(toOnWebhook)
  return (workspaceId: number, type: string): readonly OnWebhook[] =>
    matchCache.match(workspaceId, type, () => load(workspaceId))
}

function toOnWebhook(row: OnRow): OnWebhook {
  const types = JSON.parse(row.event_types) as string[]
  return { id: row.id, version: row.version, types: types.length === 0 ? null : new Set(types) }
}
