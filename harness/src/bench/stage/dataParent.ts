import { realpathSync } from 'node:fs'
import os from 'node:os'
import { isOpenToAll, serverAccount, sharedTempDirectory } from '../../postgres/account.ts'
import { BenchError } from '../frame/benchError.ts'
import type { StoreName } from './stores.ts'

/**
 * The directory in which stores are created, with links followed.
 * @param typed `null`: the default for temporary files
 * @throws BenchError when it is missing, or when PostgreSQL, which does not run as root, cannot enter it
 */
export function dataParentOf(store: StoreName, typed: string | null): string {
  const account = store === 'postgres' ? serverAccount() : {}
  if (typed === null) return realpathSync(store === 'postgres' ? sharedTempDirectory(account) : os.tmpdir())
  const directory = existing(typed)
  if (account.uid !== undefined && !isOpenToAll(directory))
    throw new BenchError(
      `--data-dir: PostgreSQL does not run as root, and other users cannot enter ${directory}`,
    )
  return directory
}

function existing(directory: string): string {
  try {
    return realpathSync(directory)
  } catch (error) {
    throw new BenchError(`--data-dir: ${(error as Error).message}`)
  }
}
