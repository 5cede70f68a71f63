import { sqlState } from '../../storage/postgres/failures.ts'
import { describeFailure, isSqliteError } from '../../storage/sqlite/failures.ts'
import { StoreOpenError, StoreUnavailableError } from '../../storage/storage.ts'

/**
 * Turns failures of the disk, the database or the connection into one line for the operator.
 * @returns the error unchanged if it is a bug, or already is such a line
 */
export function toOperatorError(dataDir: string, error: unknown): unknown {
  if (error instanceof StoreUnavailableError)
    return new StoreOpenError(`the move stopped: ${error.message}; run it again to continue`)
  if (isSqliteError(error))
    return new StoreOpenError(`the store in ${dataDir} cannot be read: ${describeFailure(error).message}`)
  if (sqlState(error) !== null)
    return new StoreOpenError(`the database rejects the move: ${(error as Error).message}`)
  return error
}
