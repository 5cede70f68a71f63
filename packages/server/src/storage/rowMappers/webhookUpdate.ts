import { type EnabledState, switched, type WebhookStatus } from '../../core/enabledState.ts'
import type { OffReason } from '../../core/health.ts'
import type { OtherVersion } from '../storage.ts'
import type { WebhookRow } from './webhooks.ts'

interface Changes extends EnabledState {
  readonly url?: string
  readonly eventTypes?: readonly string[]
  readonly description?: string
}

/** What a webhook's row becomes. */
interface NewRow {
  readonly url: string
  readonly eventTypes: string
  readonly description: string
  readonly status: WebhookStatus
  readonly offReason: OffReason | null
  readonly failingSince: number | null
}

type Weighed =
  /** The webhook is off and its pause was asked for alone. */
  | { readonly outcome: 'off' }
  /** All is as it was asked for. */
  | { readonly outcome: 'same' }
  | {
      readonly outcome: 'write'
      readonly row: NewRow
      readonly newUrl: boolean
      /** What is pending is to be canceled. */
      readonly switchedOff: boolean
    }

/** What an update of a webhook comes to. Absent members of `changes` stay. */
export function weighUpdate(row: WebhookRow, changes: Changes): Weighed {
  const from = row.stored_status
  const status = switched(from, changes)
  if (status === null) return { outcome: 'off' }
  const url = changes.url ?? row.url
  const eventTypes = changes.eventTypes === undefined ? row.event_types : JSON.stringify(changes.eventTypes)
  const description = changes.description ?? row.description
  const newUrl = url !== row.url
  if (!newUrl && eventTypes === row.event_types && description === row.description && status === from)
    return { outcome: 'same' }
  const switchedOff = status === 'off' && from !== 'off'
  const offReason = switchedOff ? 'manual' : status === 'off' ? row.off_reason : null
  // A pause ends no spell of failing, since nothing was delivered meanwhile; whoever switches on starts afresh.
  const failingSince = from === 'off' && status !== 'off' ? null : row.failing_since
  const fields = { url, eventTypes, description, status, offReason, failingSince }
  return { outcome: 'write', row: fields, newUrl, switchedOff }
}

/** @returns the refusal when the webhook has none of the versions that the caller would change */
export function otherVersion(
  { version }: WebhookRow,
  ifVersions: readonly number[] | null,
): OtherVersion | null {
  return ifVersions === null || ifVersions.includes(version) ? null : { outcome: 'other_version', version }
}
