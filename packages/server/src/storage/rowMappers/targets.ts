import type { WebhookStatus } from '../../core/enabledState.ts'
import type { SealedSecret, SendingTarget } from '../rows.ts'
import { EFFECTIVE_STATUS } from './webhooks.ts'

/** More than any signature header holds; a webhook may have been rotated thousands of times within one overlap. */
export const MAX_SIGNING_SECRETS = 32

/** Of `webhooks w JOIN workspaces s`. */
export const TARGET_COLUMNS = `
  w.id, w.workspace_id, w.public_id, w.version, s.dialect, w.url, ${EFFECTIVE_STATUS} AS status`

export interface TargetRow {
  readonly id: number
  readonly workspace_id: number
  readonly public_id: string
  readonly version: number
  readonly dialect: string
  readonly url: string
  readonly status: WebhookStatus
}

/** @param secrets newest first */
export function toTarget(row: TargetRow, secrets: readonly SealedSecret[]): SendingTarget {
  const { id, workspace_id: workspaceId, public_id: publicId, version, dialect, url, status } = row
  return { id, workspaceId, publicId, version, dialect, url, status, secrets }
}
