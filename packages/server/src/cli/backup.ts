import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { backUp } from '../storage/sqlite/backup.ts'
import { masterKeyFile, readMasterKeys, writeMasterKeyFile } from './generatedKeys.ts'
import { type Config, SettingError } from './settings.ts'
import { bytesOf } from './words.ts'

export interface BackupOptions {
  /** Writes the master key beside the backup. */
  readonly withMasterKey?: boolean
}

/** Where the master key of a backup is, if it is kept with it. */
export const keyBeside = (backup: string): string => `${backup}.master-key`

/**
 * Writes a copy of the embedded store, also while it is in service.
 * @param destination a new file, or a directory for one
 * @throws StoreOpenError, SettingError with one line for the operator
 */
export function backup(config: Config, destination: string, { withMasterKey = false }: BackupOptions): void {
  if (config.databaseUrl !== null)
    throw new SettingError(
      'POSTHORN_DATABASE_URL: unset it to back up the embedded store. For PostgreSQL, use pg_dump or pg_basebackup, and keep the master key separate from their output',
    )
  const file = fileFor(destination)
  const keys = readMasterKeys(config)
  if (withMasterKey && keys === null)
    throw new SettingError(
      `POSTHORN_MASTER_KEY: not set, and ${masterKeyFile(config.dataDir)} does not exist. Set the key, or leave out --with-master-key`,
    )
  for (const made of withMasterKey ? [file, keyBeside(file)] : [file])
    if (existsSync(made))
      throw new SettingError(
        `${made} already exists, and a backup never replaces a file. Remove it, or name another file`,
      )
  const dataDir = path.resolve(config.dataDir)
  backUp(dataDir, file)
  if (withMasterKey) writeMasterKeyFile(keyBeside(file), keys!)
  say(`Backed up the store in ${dataDir} to ${file} (${bytesOf(statSync(file).size)}).`)
  say(
    withMasterKey
      ? `The master key is in ${keyBeside(file)}: anyone who has both files can read all signing secrets.`
      : `The backup does not contain the master key. Without the key, signing secrets cannot be decrypted. Keep a separate copy of ${keyPlace(config, dataDir)}.`,
  )
}

const keyPlace = ({ masterKey }: Config, dataDir: string): string =>
  masterKey === null ? masterKeyFile(dataDir) : 'POSTHORN_MASTER_KEY'

function fileFor(destination: string): string {
  const place = path.resolve(destination)
  if (isDirectory(place)) return path.join(place, `posthorn-${stampOf(new Date())}.db`)
  if (!isDirectory(path.dirname(place)))
    throw new SettingError(`${path.dirname(place)} is not a directory. Create it, or name another place`)
  return place
}

const isDirectory = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false

/** @returns such as `20260131T101500Z` */
const stampOf = (time: Date): string => time.toISOString().replaceAll(/[-:]|\.\d+/g, '')

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
