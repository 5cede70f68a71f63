import { chownSync } from 'node:fs'
import path from 'node:path'
import { SmallDisk } from '../faults/stores/disk.ts'
import { serverAccount } from '../postgres/account.ts'
import type { PostgresServer } from '../postgres/server.ts'

/** A database whose tables are on their own disk, which can be filled up. */
export interface CrampedDatabase {
  readonly url: string
  readonly disk: SmallDisk
}

/** @throws Error when this machine does not allow mounts */
export async function createCrampedDatabase(server: PostgresServer, name: string): Promise<CrampedDatabase> {
  const directory = path.join(path.dirname(server.dataDir), 'small')
  const disk = new SmallDisk(directory)
  const { uid, gid } = serverAccount()
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid)
  await server.query(`create tablespace small location '${directory}'`)
  const url = await server.createDatabase(name)
  await server.query(`alter database ${name} set tablespace small`)
  return { url, disk }
}
