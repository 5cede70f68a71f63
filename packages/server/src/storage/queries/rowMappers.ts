import type { WebhookStatus } from '../../core/enabledState.ts'
import type { Member, Operator, Webhook } from '../rows.ts'
import { columns } from './sql.ts'

// Members of records that several queries read, for `columns` and `asObject`.

export const WORKSPACE = 'id publicId dialect slug name suspendedAt createdAt'
export const MEMBER = 'id publicId workspaceId email name role failingWarnings fromProvider createdAt'
export const OPERATOR = 'id publicId email name fromProvider createdAt'
export const SESSION = 'id publicId createdAt expiresAt'

/** SQLite has 0 and 1 for a boolean. */
export type Boolish = boolean | 0 | 1

export type MemberRow = Omit<Member, 'failingWarnings' | 'fromProvider'> & {
  readonly failingWarnings: Boolish
  readonly fromProvider: Boolish
}
export type OperatorRow = Omit<Operator, 'fromProvider'> & { readonly fromProvider: Boolish }

export const toMember = (row: MemberRow): Member => ({
  ...row,
  failingWarnings: Boolean(row.failingWarnings),
  fromProvider: Boolean(row.fromProvider),
})

export const toOperator = (row: OperatorRow): Operator => ({
  ...row,
  fromProvider: Boolean(row.fromProvider),
})

/** In a suspended workspace, a webhook that would be on is paused. */
export const EFFECTIVE_STATUS = `
  CASE WHEN w.status = 'on' AND s.suspended_at IS NOT NULL THEN 'paused' ELSE w.status END`

/** Of `workspaces s`: whether customers see it, so not the hidden one of an operational webhook. */
export const IN_CUSTOMER_WORKSPACE = "(s.kind = 'customer')"

/** Of `webhooks w` and `workspaces s`: whether it is failing now. Everything that counts, lists or ranks failing webhooks uses this. */
export const FAILING = `
  (w.failing_since IS NOT NULL AND w.status = 'on' AND w.deleted_at IS NULL AND s.suspended_at IS NULL AND ${IN_CUSTOMER_WORKSPACE})`

/** Of `webhooks w`: whether it gets events, for now or for later. */
export const PUBLISHED_TO = `(w.status = 'on' OR w.status = 'paused' AND w.holds)`

/** Of `webhooks w`: whether it has a limit, so that only one node sends its deliveries. */
export const LIMITED = '(w.max_per_1000_s IS NOT NULL OR w.max_in_flight IS NOT NULL)'

/** Of `webhooks w`: whether its new deliveries stay in the store, since it is paused or has a limit. */
export const KEPT_IN_STORE = `(w.status = 'paused' OR ${LIMITED})`

/** Since when nothing is published to it, because of its own state or its workspace's. */
const STOPPED_AT = `
  CASE WHEN w.status = 'on' OR s.suspended_at < w.stopped_at THEN s.suspended_at ELSE w.stopped_at END`

const PLAIN =
  'id publicId workspaceId url description offReason failingSince alertedAt snoozedUntil createdAt updatedAt version maxInFlight'

/** Of `webhooks w JOIN workspaces s`. */
export const WEBHOOK_COLUMNS = `
  ${columns(PLAIN, 'w')}, w.event_types AS types, w.warn, w.max_per_1000_s AS rate, ${EFFECTIVE_STATUS} AS status,
  w.status AS stored, w.holds, ${STOPPED_AT} AS "stoppedAt", w.created_by_type AS creator,
  w.created_by_public_id AS "creatorId"`

export interface WebhookRow extends Omit<Webhook, 'eventTypes' | 'createdBy' | 'maxPerSecond' | 'warn'> {
  /** As JSON. */
  readonly types: string
  /** Attempts in 1,000 seconds. */
  readonly rate: number | null
  /** As JSON. */
  readonly warn: string | null
  /** Its status without regard to the workspace. */
  readonly stored: WebhookStatus
  readonly holds: Boolish
  readonly creator: Webhook['createdBy']['type']
  readonly creatorId: string
}

export function toWebhook({
  types,
  rate,
  warn,
  stored: _,
  holds: __,
  creator,
  creatorId,
  ...webhook
}: WebhookRow): Webhook {
  return {
    ...webhook,
    eventTypes: JSON.parse(types) as string[],
    maxPerSecond: perSecond(rate),
    warn: warn === null ? null : (JSON.parse(warn) as Webhook['warn']),
    createdBy: { type: creator, publicId: creatorId },
  }
}

/** @param rate attempts per 1,000 seconds, as the store keeps it: `move` copies only whole numbers */
export const perSecond = (rate: number | null): number | null => (rate === null ? null : rate / 1_000)

export const storedRate = (maxPerSecond: number | null): number | null =>
  maxPerSecond === null ? null : Math.round(maxPerSecond * 1_000)
