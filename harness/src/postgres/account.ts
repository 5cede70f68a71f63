import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The user of a server's programs; empty for the user of this process. */
export interface Account {
  readonly uid?: number
  readonly gid?: number
}

const idOf = (kind: '-u' | '-g', user: string) =>
  Number(execFileSync('id', [kind, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))

/**
 * PostgreSQL does not run as root; root therefore uses the account `postgres`, or if there is none `nobody`.
 */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) }
    } catch {
      // No such account here.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has no user postgres or nobody to run it as',
  )
}

/** @param directory an absolute path without links */
export function isOpenToAll(directory: string): boolean {
  const { mode } = statSync(directory)
  const parent = path.dirname(directory)
  return (mode & 0o001) !== 0 && (parent === directory || isOpenToAll(parent))
}

/** The temporary directory, or one that another account can reach if only root may enter it. */
export function sharedTempDirectory(account: Account): string {
  if (account.uid === undefined) return os.tmpdir()
  const found = [os.tmpdir(), '/tmp', '/var/tmp'].find(isOpenToAll)
  if (found === undefined)
    throw new Error('there is no temporary directory that users other than root can enter')
  return found
}
