import type { Clock } from '../../core/clock.ts'
import type { Dialect } from '../../core/dialect.ts'
import type { Workspace } from '../../storage/rows.ts'
import type { EventToStore } from '../../storage/storage.ts'
import type { EventToPublish } from '../engine.ts'
import type { PublishTrace } from '../log/tracing.ts'
import type { EventIds } from './eventIds.ts'

/** Events in the form of the store, and their public ids, in the same order. */
export interface EventRows {
  readonly rows: readonly EventToStore[]
  readonly ids: readonly string[]
  /** Of the request that publishes them; `null`: it belongs to no trace. */
  readonly trace: PublishTrace | null
}

/**
 * Gives events their ids and builds their bodies. It empties the list: otherwise callers that wait for the commit would keep
 * all published data in memory until then, which makes garbage collection expensive.
 */
export async function makeEventRows(params: {
  readonly eventIds: EventIds
  readonly clock: Clock
  readonly dialect: Dialect
  readonly workspace: Workspace
  readonly events: EventToPublish[]
  readonly trace: PublishTrace | null
}): Promise<EventRows> {
  const { eventIds, clock, dialect, workspace, events, trace } = params
  const traceparent = trace?.traceparent ?? null
  const first = eventIds.take(events.length) ?? (await eventIds.reserve(events.length))
  const now = clock.now()
  const ids: string[] = []
  const rows = events.map(({ type, broughtId, fingerprint, compose }, position): EventToStore => {
    const id = first + position
    const publicId = broughtId ?? eventIds.format(dialect, { rowId: id, createdAt: now })
    ids.push(publicId)
    return {
      id,
      workspaceId: workspace.id,
      type,
      broughtId,
      broughtRowId: broughtId === null ? null : eventIds.resolve(dialect, broughtId),
      fingerprint,
      body: compose(publicId, now),
      createdAt: now,
      traceparent,
    }
  })
  events.length = 0
  return { rows, ids, trace }
}
