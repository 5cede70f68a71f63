import { type OnWebhook, type OnWebhookRow, toOnWebhook } from '../../matchCache.ts'
import { KEPT_IN_STORE, PUBLISHED_TO } from '../../queries/rowMappers.ts'
import type { Store } from '../store.ts'

export const matchSql = {
  onWebhooks: `
    SELECT w.id, w.version, w.event_types, ${KEPT_IN_STORE} AS held
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.workspace_id = ? AND w.deleted_at IS NULL AND ${PUBLISHED_TO}
      AND s.suspended_at IS NULL AND s.deleted_at IS NULL
    ORDER BY w.id`,
}

/** @returns a function that finds the webhooks an event goes to, as of the running transaction. */
export function matcher({ db, matchCache }: Store) {
  const onWebhooks = db.prepare<[number], OnWebhookRow>(matchSql.onWebhooks)
  const load = (workspaceId: number) => onWebhooks.all(workspaceId).map(toOnWebhook)
  return (workspaceId: number, type: string): readonly OnWebhook[] =>
    matchCache.match(workspaceId, type, () => load(workspaceId))
}
