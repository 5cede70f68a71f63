import path from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { groupCalls } from '../callGroups.ts'
import type { Sealed } from '../rows.ts'
import type { Storage } from '../storage.ts'
import { StoreOpenError, StoreUnavailableError } from '../storage.ts'
import { Channel } from './channel.ts'
import { Checkpoints } from './checkpoints.ts'
import { openReadOnly } from './connection.ts'
import { databaseFile, prepareDirectory } from './dataDirectory.ts'
import { openFailure } from './failures.ts'
import {
  type CallName,
  type CallParams,
  READERS,
  type Role,
  type StorageCalls,
  type WorkerSettings,
} from './messages.ts'
import { isStore, refuseOtherThanStore } from './storeFacts.ts'

export interface SqliteStorageOptions {
  /** Created if missing, for this user only. One process at a time may use it. */
  readonly dataDir: string
  readonly clock: Clock
  /** The database does not grow beyond this many pages of 8 KiB; `null` or absent: up to the size of the disk. */
  readonly maxPages?: number | null
  /** Whether to create a store if there is none; default true. Existing data is never replaced. */
  readonly create?: boolean
}

export interface SqliteStorage extends Storage {
  /** As of the opening of the store; shows whether a master key belongs to this store. */
  readonly newestSecret: Sealed | null
  /** Whether there was no store before. */
  readonly isNew: boolean
}

/**
 * Whether the database of a data directory, which must exist, is a store and not an empty database.
 * @param create whether an empty database is acceptable
 * @throws StoreOpenError with one line for the operator when it is something else, or cannot be read
 */
export function holdsStore(dataDir: string, create: boolean): boolean {
  try {
    const db = openReadOnly(databaseFile(path.resolve(dataDir)))
    try {
      refuseOtherThanStore(db, create)
      return isStore(db)
    } finally {
      db.close()
    }
  } catch (error) {
    throw new StoreOpenError(openFailure(path.resolve(dataDir), error))
  }
}

/**
 * Opens the embedded store: threads on one SQLite database. One writes; one reads, from the first list on; one reads for the
 * search index, from the first event on; one checkpoints the log, from the first long log on.
 * @throws StoreOpenError with one line for the operator.
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<SqliteStorage> {
  const dataDir = path.resolve(options.dataDir)
  prepareDirectory(dataDir)
  const settings: Omit<WorkerSettings, 'role'> = {
    dataDir,
    now: options.clock.now(),
    maxPages: options.maxPages ?? null,
    create: options.create ?? true,
  }
  const writer = new Channel({ ...settings, role: 'writer' })
  const { idKey, newestSecret, isNew, routes } = await writer.ready().catch(async (error: unknown) => {
    await writer.close()
    throw error
  })

  const checkpoints = new Checkpoints({
    dataDir,
    clock: options.clock,
    writer,
    openThread: () => new Channel({ ...settings, role: 'checkpointer' }),
  })
  checkpoints.start()
  let closed = false
  const readers = new Map<Role, Channel>()
  const readerOf = (role: Role): Channel => {
    const known = readers.get(role)
    // A thread that died is replaced: it has no data that could be lost.
    if (known !== undefined && !known.ended) return known
    const reader = new Channel({ ...settings, role })
    readers.set(role, reader)
    return reader
  }
  const call = (name: CallName, params: CallParams<CallName>): Promise<unknown> => {
    if (closed) return Promise.reject(new StoreUnavailableError('the store is closed'))
    const role = routes[name]!
    return (READERS.includes(role) ? readerOf(role) : writer).call(name, params)
  }
  const calls = Object.fromEntries(
    (Object.keys(routes) as CallName[]).map((name) => [
      name,
      (params: CallParams<CallName>) => call(name, params),
    ]),
  ) as unknown as StorageCalls

  return {
    ...groupCalls(calls),
    change: calls.change,
    check: calls.check,
    idKey,
    newestSecret,
    isNew,
    // Only this process uses the store, so it knows its own changes.
    onWebhooksChanged() {},
    onCredentialsChanged() {},
    async close() {
      closed = true
      // The writer goes last: the last connection to close writes the log into the database file.
      await Promise.all([...[...readers.values()].map((reader) => reader.close()), checkpoints.stop()])
      await writer.close()
      checkpoints.letGo()
    },
  }
}
