import type { AttemptErrorCode } from '../../core/delivery.ts'
import type { Workspace } from '../rows.ts'
import type { DescribedWebhook } from '../storage.ts'
import type { ErrorRow } from './notifications.ts'
import { toWebhook, type WebhookRow } from './webhooks.ts'

/** @param errors the newest first */
export function describe(
  row: WebhookRow,
  workspaces: ReadonlyMap<number, Workspace>,
  [newest]: readonly ErrorRow[],
): DescribedWebhook {
  const lastError =
    newest === undefined
      ? null
      : { code: newest.error_code as AttemptErrorCode, message: newest.error_message ?? '', at: newest.at }
  return { webhook: toWebhook(row), workspace: workspaces.get(row.workspace_id)!, lastError }
}
