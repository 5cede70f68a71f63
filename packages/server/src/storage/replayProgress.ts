/** What of a replay says what is left to do. */
export const PROGRESS_COLUMNS =
  'id, workspace_id, webhook_id, event_type, from_time, to_time, max, replayed, at_webhook_id, at_time, ' +
  'at_delivery_id, created_at'

export interface ProgressRow {
  readonly id: number
  readonly workspace_id: number
  readonly webhook_id: number | null
  readonly event_type: string | null
  readonly from_time: number | null
  readonly to_time: number | null
  readonly max: number
  readonly replayed: number
  readonly at_webhook_id: number
  readonly at_time: number
  readonly at_delivery_id: number
  readonly created_at: number
}

/** A dead delivery. */
export interface DeadRow {
  readonly id: number
  readonly created_at: number
  readonly finished_at: number
  readonly type: string
}

/** The last delivery that was looked at; of a webhook that was not begun, one before its first. */
export interface ReplayPosition {
  readonly webhookId: number
  readonly time: number
  readonly deliveryId: number
}

/** How far a step of a replay has come. */
export interface Progress {
  at: ReplayPosition
  replayed: number
  /** Rows that may still be looked at. */
  left: number
}

export function progressOf(replay: ProgressRow, limit: number): Progress {
  const { at_webhook_id: webhookId, at_time: time, at_delivery_id: deliveryId, replayed } = replay
  return { at: { webhookId, time, deliveryId }, replayed, left: limit }
}

export function beginning({ from_time }: ProgressRow, webhookId: number): ReplayPosition {
  return { webhookId, time: from_time ?? 0, deliveryId: 0 }
}

/**
 * Looks at dead deliveries that come next, until as many are found as are still to be replayed. A delivery that died
 * after its replay was asked for is none of them.
 * @returns those to replay, which count as replayed
 */
export function chooseNext(replay: ProgressRow, progress: Progress, rows: readonly DeadRow[]): DeadRow[] {
  const chosen: DeadRow[] = []
  for (const row of rows) {
    if (progress.replayed === replay.max) break
    progress.at = { webhookId: progress.at.webhookId, time: row.created_at, deliveryId: row.id }
    progress.left--
    if (!isWanted(row, replay)) continue
    chosen.push(row)
    progress.replayed++
  }
  return chosen
}

function isWanted({ finished_at, type }: DeadRow, { created_at, event_type }: ProgressRow): boolean {
  return finished_at <= created_at && (event_type === null || event_type === type)
}
