import type { OutboxRow } from '../source.ts'
import type { Cursor, Moment } from './progress.ts'

/** The result of a read. */
export interface ReadRow {
  readonly target: string
  readonly xid: string
  readonly id: string | null
  readonly shard: number
  readonly workspace: string
  /** It ends a walk past rows of other shards, and is of one of these. */
  readonly is_mark: boolean
  readonly found: number
  readonly emitted_at: number
  readonly event: string | null
}

/** The result of a claim. */
export interface ShardRow extends Record<string, unknown> {
  readonly shard: number
  readonly done: string
  readonly done_id: string
  readonly done_xid: string
  readonly target: string | null
  readonly target_id: string | null
  readonly target_xid: string | null
  readonly last_id: string
}

export const cursorOf = (row: ShardRow): Cursor => ({
  done: { snapshot: row.done, id: row.done_id, xid: row.done_xid },
  target: row.target === null ? null : { snapshot: row.target, id: row.target_id!, xid: row.target_xid! },
  lastId: row.last_id,
})

export const columnsOf = ({ snapshot, id, xid }: Moment) => [snapshot, id, xid]

const names = new Map<string, string>()

/** Statements are prepared once for each connection, under a name. */
export function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `outbox_${names.size}`
    names.set(text, name)
  }
  return name
}

export const toRow = ({
  id,
  shard,
  workspace,
  event,
  emitted_at,
}: Omit<ReadRow, 'target' | 'xid' | 'found' | 'is_mark'>): OutboxRow => ({
  position: id!,
  shard,
  workspace,
  event,
  emittedAt: emitted_at,
})
