import { sqlState } from '../../storage/postgres/failures.ts'
import { describeFailure, isSqliteError } from '../../storage/sqlite/failures.ts'
import { StoreOpenError, StoreUnavailableError } from '../../storage/storage.ts'

/**
 * What the operator is told of a failure that is not the program's: of the disk, the database or the way to it.
 * @returns the error itself when it is the program's, or says it all already
 */
export function tellable(dataDir: string, error: unknown): unknown {
  if (error instanceof StoreUnavailableError)
    return new StoreOpenError(`the move stopped: ${error.message}; run it again to go on`)
  if (isSqliteError(error))
    return new StoreOpenError(`the store in ${dataDir} cannot be read: ${describeFailure(error).message}`)
  if (sqlState(error) !== null)
    return new StoreOpenError(`the database refuses the move: ${(error as Error).message}`)
  return error
}
