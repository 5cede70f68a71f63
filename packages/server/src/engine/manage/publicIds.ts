import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { Dialect, Dialects } from '../../core/dialect.ts'
import { deriveId, newId, resolveId } from '../../core/ids.ts'
import { OWN_IDS } from '../../core/ownIds.ts'
import type { Workspace } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { PublicIds } from '../engine.ts'

/** Writes and reads ids in the form of each workspace's dialect. */
export function createPublicIds(params: {
  readonly storage: Pick<Storage, 'idKey'>
  readonly dialects: Dialects
  readonly clock: Clock
}): PublicIds {
  const { storage, dialects, clock } = params
  const key = storage.idKey
  const of = (workspace: Workspace): Dialect => dialectOf(dialects, workspace.dialect)
  return {
    event: (workspace, { id, broughtId, createdAt }) =>
      broughtId ?? of(workspace).ids.event.format(deriveId('event', { rowId: id, createdAt }, key)),
    delivery: (workspace, { id, createdAt }) =>
      of(workspace).ids.delivery.format(deriveId('delivery', { rowId: id, createdAt }, key)),
    parseDelivery(workspace, id) {
      const bytes = of(workspace).ids.delivery.parse(id)
      return bytes === null ? null : (resolveId('delivery', bytes, key)?.rowId ?? null)
    },
    parseEvent(workspace, id) {
      const { ids } = of(workspace)
      const bytes = ids.event.parse(id)
      const rowId = bytes === null ? null : (resolveId('event', bytes, key)?.rowId ?? null)
      return { broughtId: ids.broughtEventId(id), rowId }
    },
    create: (dialect, kind) =>
      dialectOf(dialects, dialect).ids[kind].format(newId(clock.now(), randomBytes(10))),
    createOwn: (kind) => OWN_IDS[kind].format(newId(clock.now(), randomBytes(10))),
  }
}

/** @throws Error when this process does not serve the dialect */
export function dialectOf<D extends Dialect>(dialects: ReadonlyMap<string, D>, name: string): D {
  const dialect = dialects.get(name)
  if (dialect === undefined) throw new Error(`this node does not serve the dialect ${name}`)
  return dialect
}
