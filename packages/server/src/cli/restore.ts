import { existsSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '../core/clock.ts'
import { type BackupContents, checkBackup, putBack, whereMoved } from '../storage/sqlite/restore.ts'
import { keyBeside } from './backup.ts'
import { adviseIfInUse } from './directoryInUse.ts'
import {
  adminTokenFile,
  masterKeyFile,
  readMasterKeyFile,
  readMasterKeys,
  writeMasterKeyFile,
} from './generatedKeys.ts'
import { missingKey } from './masterKeys.ts'
import { type Config, SettingError } from './settings.ts'
import { countOf } from './words.ts'

export interface RestoreOptions {
  /** Puts the backup in the place of a store that is there. */
  readonly force?: boolean
}

/**
 * Puts a backup into the data directory.
 * @throws StoreOpenError, SettingError with one line for the operator
 */
export function restore(config: Config, backup: string, { force = false }: RestoreOptions): void {
  if (config.databaseUrl !== null)
    throw new SettingError(
      'POSTHORN_DATABASE_URL: unset it to restore the embedded store. For PostgreSQL, use pg_restore, or psql for what pg_dump wrote as text',
    )
  const file = path.resolve(backup)
  const dataDir = path.resolve(config.dataDir)
  const contents = checkBackup(file)
  const key = keyFor(config, file, contents)
  const moved = force ? whereMoved(dataDir) : null
  if (moved !== null)
    process.stderr.write(
      `WARNING: the store in ${dataDir} was moved to ${moved.place}: stop the nodes there before you serve the backup, or both send the same deliveries.\n`,
    )
  const kept = put(file, dataDir, force)
  if (key === 'beside') writeMasterKeyFile(masterKeyFile(dataDir), readMasterKeyFile(keyBeside(file))!)
  say(`Restored ${countOf(contents.events, 'event')}${newestOf(contents)} from ${file} into ${dataDir}.`)
  if (contents.pending > 0) say(sentAgain(contents.pending))
  say(
    'What came after it is not there: events published since, and changes, so keys that were revoked and secrets that were replaced since are good again.',
  )
  if (kept !== null) say(`The store that was there is kept in ${kept}; delete it when you are sure.`)
  if (key === 'missing')
    say(
      `The master key is missing: put the one of the backup into ${masterKeyFile(dataDir)} before you serve.`,
    )
  if (config.adminToken === null && !existsSync(adminTokenFile(dataDir)))
    say(
      `A backup holds no admin token: \`posthorn serve\` makes a new one in ${adminTokenFile(dataDir)}. To keep the former one, copy it there first.`,
    )
}

function put(file: string, dataDir: string, force: boolean): string | null {
  try {
    return putBack({ file, dataDir, force, now: systemClock.now() })
  } catch (error) {
    throw adviseIfInUse(dataDir, error)
  }
}

/**
 * Where the key of the backup's secrets is.
 * @throws SettingError when there is one, and it opens none of them
 */
function keyFor(
  config: Config,
  file: string,
  { keys: needed }: BackupContents,
): 'known' | 'beside' | 'missing' {
  const known = readMasterKeys(config)
  const beside = readMasterKeyFile(keyBeside(file))
  const keys = known ?? beside
  if (keys === null) return 'missing'
  const missing = missingKey(keys, needed)
  if (missing !== null)
    throw new SettingError(
      `POSTHORN_MASTER_KEY: the key in ${known === null ? keyBeside(file) : 'use'} does not open the signing secrets in ${file}; set ${missing}, with which it was served`,
    )
  return known === null ? 'beside' : 'known'
}

/** What a restore says of the deliveries that were pending, if there are any. */
export function sentAgain(pending: number): string {
  const head = `Its ${countOf(pending, 'pending delivery', 'pending deliveries')}`
  return pending === 1
    ? `${head} goes out once more under its old id, even if it arrived since the backup was made.`
    : `${head} go out once more under their old ids, even those that arrived since the backup was made.`
}

const newestOf = ({ newestAt }: BackupContents): string =>
  newestAt === null ? '' : `, the newest of ${new Date(newestAt).toISOString()},`

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
