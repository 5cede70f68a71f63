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
  /** Replaces an existing store. */
  readonly force?: boolean
}

/**
 * Puts a backup into the data directory.
 * @throws StoreOpenError, SettingError with one line for the operator
 */
export function restore(config: Config, backup: string, { force = false }: RestoreOptions): void {
  if (config.databaseUrl !== null)
    throw new SettingError(
      'POSTHORN_DATABASE_URL: unset it to restore the embedded store. For PostgreSQL, use pg_restore, or psql for a dump in plain text',
    )
  const file = path.resolve(backup)
  const dataDir = path.resolve(config.dataDir)
  const contents = checkBackup(file)
  const key = keyFor(config, file, contents)
  const moved = force ? whereMoved(dataDir) : null
  if (moved !== null)
    process.stderr.write(
      `WARNING: the store in ${dataDir} was moved to ${moved.place}: stop the nodes there before you start the service here. Otherwise both send the same deliveries.\n`,
    )
  const kept = put(file, dataDir, force)
  if (key === 'beside') writeMasterKeyFile(masterKeyFile(dataDir), readMasterKeyFile(keyBeside(file))!)
  say(`Restored ${countOf(contents.events, 'event')}${newestOf(contents)} from ${file} into ${dataDir}.`)
  if (contents.pending > 0) say(sentAgain(contents.pending))
  say(
    'Later events and changes are missing. Keys that were revoked and secrets that were replaced since then are valid again.',
  )
  if (kept !== null) say(`The previous store is kept in ${kept}. Delete it when you no longer need it.`)
  if (key === 'missing')
    say(
      `The master key is missing: put the key of the backed-up store into ${masterKeyFile(dataDir)} before you start the service.`,
    )
  if (config.adminToken === null && !existsSync(adminTokenFile(dataDir)))
    say(
      `A backup has no admin token: \`posthorn serve\` creates a new one in ${adminTokenFile(dataDir)}. To keep the old token, copy it there before the start.`,
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
 * The location of the key of the backup's secrets.
 * @throws SettingError when there is a key that decrypts none of them
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
      `POSTHORN_MASTER_KEY: the key in ${known === null ? keyBeside(file) : 'use'} does not decrypt the signing secrets in ${file}; set ${missing} that the backed-up store used`,
    )
  return known === null ? 'beside' : 'known'
}

/** The message about deliveries that were pending, if there are any. */
export function sentAgain(pending: number): string {
  const head = `Its ${countOf(pending, 'pending delivery', 'pending deliveries')}`
  return pending === 1
    ? `${head} is sent again under its old id, even if it arrived since the backup was made.`
    : `${head} are sent again under their old ids, even those that arrived since the backup was made.`
}

const newestOf = ({ newestAt }: BackupContents): string =>
  newestAt === null ? '' : `, the newest of ${new Date(newestAt).toISOString()},`

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
