import { openConnection } from '../sqlite/connection.ts'
import { databaseFile, refuseNoDatabase } from '../sqlite/dataDirectory.ts'
import { lockDirectory } from '../sqlite/directoryLock.ts'
import { openFailure } from '../sqlite/failures.ts'
import { refuseOtherThanStore } from '../sqlite/isStore.ts'
import { openReadOnly } from '../sqlite/readOnly.ts'
import { StoreOpenError } from '../storage.ts'
import { MoveSource } from './source.ts'

export interface OpenedSource {
  readonly source: MoveSource
  close(): void
}

/**
 * Opens the embedded store and keeps every other process away from it until it is closed.
 * @param now Unix ms
 * @throws StoreOpenError with one line for the operator
 */
export function openMoveSource(dataDir: string, now: number): OpenedSource {
  return opening(dataDir, () => {
    const lock = lockDirectory(dataDir)
    try {
      const db = openConnection({ role: 'writer', dataDir, now, maxPages: null, create: false })
      const close = () => {
        db.close()
        lock.release()
      }
      return { source: new MoveSource(db), close }
    } catch (error) {
      lock.release()
      throw error
    }
  })
}

/** Opens the embedded store to look at it, whoever serves it. @throws StoreOpenError */
export function viewMoveSource(dataDir: string): OpenedSource {
  return opening(dataDir, () => {
    const db = openReadOnly(databaseFile(dataDir))
    try {
      refuseOtherThanStore(db, false)
      return { source: new MoveSource(db), close: () => db.close() }
    } catch (error) {
      db.close()
      throw error
    }
  })
}

function opening(dataDir: string, open: () => OpenedSource): OpenedSource {
  refuseNoDatabase(dataDir)
  try {
    return open()
  } catch (error) {
    throw new StoreOpenError(openFailure(dataDir, error))
  }
}
