import { BYTES_OF_EVENT } from './limits.ts'
import { type EventPublisher, MOST_BYTES, MOST_EVENTS } from './publisher.ts'
import type { OutboxRow } from './source.ts'

/** Posthorn cannot be reached, or rejects all requests temporarily. */
export class PosthornUnavailableError extends Error {
  override readonly name = 'PosthornUnavailableError'
  readonly retryAfterMs: number | null

  constructor(reason: string, retryAfterMs: number | null) {
    super(reason)
    this.retryAfterMs = retryAfterMs
  }
}

/** Why an event fails before it is sent to Posthorn. */
export const TOO_LARGE = `the event is too large: use at most ${BYTES_OF_EVENT} bytes`

/** The result for rows of one workspace. */
export interface Published {
  readonly published: readonly OutboxRow[]
  readonly rejected: readonly { readonly row: OutboxRow; readonly reason: string }[]
  /** Why the rest was not published; `null`: there is no rest. */
  readonly blocked: { readonly reason: string; readonly retryAfterMs: number | null } | null
  readonly rest: readonly OutboxRow[]
}

/**
 * Publishes rows of one workspace in order. Rejected rows are left out, and the others continue.
 * @throws PosthornUnavailableError (rejects); rows that were published before are then published again, which changes nothing
 */
export async function publishRows(
  publisher: EventPublisher,
  workspace: string,
  rows: readonly OutboxRow[],
): Promise<Published> {
  const published: OutboxRow[] = []
  const rejected: { row: OutboxRow; reason: string }[] = []
  const queue = batchesOf(rows, rejected)
  for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
    const result = await publisher.publish(
      workspace,
      batch.map(({ event }) => event!),
    )
    if (result.outcome === 'published') published.push(...batch)
    else if (result.outcome === 'rejected') queue.unshift(...withoutRejected(batch, result, rejected))
    else if (result.outcome === 'blocked')
      return { published, rejected, blocked: result, rest: [batch, ...queue].flat() }
    else throw new PosthornUnavailableError(result.reason, result.retryAfterMs)
  }
  return { published, rejected, blocked: null, rest: [] }
}

/** The rest of a rejected batch: without the events at fault, or in halves if these are not known. */
function withoutRejected(
  batch: readonly OutboxRow[],
  {
    events,
    reason,
  }: { readonly events: readonly { position: number; reason: string }[]; readonly reason: string },
  rejected: { row: OutboxRow; reason: string }[],
): (readonly OutboxRow[])[] {
  if (events.length > 0) {
    for (const event of events) rejected.push({ row: batch[event.position]!, reason: event.reason })
    const gone = new Set(events.map(({ position }) => position))
    const left = batch.filter((_, position) => !gone.has(position))
    return left.length === 0 ? [] : [left]
  }
  if (batch.length === 1) {
    rejected.push({ row: batch[0]!, reason })
    return []
  }
  const half = Math.ceil(batch.length / 2)
  return [batch.slice(0, half), batch.slice(half)]
}

function batchesOf(
  rows: readonly OutboxRow[],
  rejected: { row: OutboxRow; reason: string }[],
): (readonly OutboxRow[])[] {
  const batches: OutboxRow[][] = []
  let bytes = 0
  for (const row of rows) {
    if (row.event === null) {
      rejected.push({ row, reason: TOO_LARGE })
      continue
    }
    const size = Buffer.byteLength(row.event) + 1
    const last = batches.at(-1)
    if (last === undefined || last.length >= MOST_EVENTS || bytes + size > MOST_BYTES) {
      batches.push([row])
      bytes = size
    } else {
      last.push(row)
      bytes += size
    }
  }
  return batches
}
