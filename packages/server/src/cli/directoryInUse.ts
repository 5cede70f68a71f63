import { whoHolds } from '../storage/sqlite/directoryLock.ts'
import { StoreOpenError } from '../storage/storage.ts'

/** Adds what to do to the error of a data directory that another process uses; other errors stay as they are. */
export function adviseIfInUse(dataDir: string, error: unknown): unknown {
  if (!(error instanceof StoreOpenError) || error.message !== whoHolds(dataDir)) return error
  return new StoreOpenError(`${error.message}; stop that process, or name another directory with --data-dir`)
}
