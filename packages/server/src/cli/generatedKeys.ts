import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { keyIdOf } from '../core/masterKeys.ts'
import { checkOf } from '../engine/secretBox.ts'
import { prepareDirectory, syncFile } from '../storage/sqlite/dataDirectory.ts'
import type { MasterKeys } from './masterKeys.ts'
import { type Config, SettingError } from './settings.ts'
import { isAdminToken, masterKeys } from './settingValues.ts'

const ADMIN_TOKEN_FILE = 'admin-token'
const MASTER_KEY_FILE = 'master-key'
/** Names in the data directory. */
export const KEY_FILES = [ADMIN_TOKEN_FILE, MASTER_KEY_FILE] as const

/** A value from a setting, or from a file of the data directory. */
interface ResolvedKey<T> {
  readonly value: T
  /** The file into which it was just generated; `null` when it existed before. */
  readonly generatedIn: string | null
}

export function ensureAdminToken({ dataDir, adminToken: given }: Config): ResolvedKey<string> {
  if (given !== null) return { value: given, generatedIn: null }
  const file = adminTokenFile(dataDir)
  const kept = readAdminToken(dataDir)
  if (kept !== null) return { value: kept, generatedIn: null }
  const value = `pha_${randomBytes(32).toString('base64url')}`
  write(file, value)
  return { value, generatedIn: file }
}

/**
 * The token that `posthorn serve` keeps in this directory, for commands that run beside it; `null` when there is none.
 * @throws SettingError when the file has no valid token: an empty or cut one would lock operators out or be easy to guess
 */
export function readAdminToken(dataDir: string): string | null {
  const file = adminTokenFile(dataDir)
  const kept = read(file)
  if (kept === null || isAdminToken(kept)) return kept
  throw new SettingError(
    `${file} does not contain an admin token. Delete the file; the next start creates a new one`,
  )
}

/** The file of the data directory with the admin token, unless it is set. */
export const adminTokenFile = (dataDir: string): string => path.join(dataDir, ADMIN_TOKEN_FILE)

/**
 * The keys from the setting or the file; `null` when there are none yet.
 * @throws SettingError when the file has other content
 */
export function readMasterKeys({ dataDir, masterKey: given }: Config): MasterKeys | null {
  return given ?? readMasterKeyFile(masterKeyFile(dataDir))
}

/**
 * Call this before anything is encrypted: a new store without a key looks the same as a store that lost its key.
 * @param needed whether the store has already been used under a key
 * @param remedy what the operator should do when that key is missing
 * @throws SettingError when the key is needed and missing: a new key could not decrypt the secrets
 */
export function ensureMasterKeys(
  config: Config,
  needed: boolean,
  remedy = 'restore the file, or set the variable',
): ResolvedKey<MasterKeys> {
  prepareDirectory(config.dataDir)
  const known = readMasterKeys(config)
  if (known !== null) return { value: known, generatedIn: null }
  const file = masterKeyFile(config.dataDir)
  if (needed) {
    throw new SettingError(
      `POSTHORN_MASTER_KEY: not set, and ${file} does not exist, but the store already uses a key; ${remedy}`,
    )
  }
  const value: MasterKeys = [Uint8Array.from(randomBytes(32))]
  writeMasterKeyFile(file, value)
  return { value, generatedIn: file }
}

/** The file of the data directory with the master key, unless it is set. */
export const masterKeyFile = (dataDir: string): string => path.join(dataDir, MASTER_KEY_FILE)

/** @returns the keys in a file; `null` when there is no such file @throws SettingError when it has other content */
export function readMasterKeyFile(file: string): MasterKeys | null {
  const kept = read(file)
  if (kept === null) return null
  try {
    return masterKeys(kept)
  } catch (error) {
    throw new SettingError(`${file} does not contain master keys (${(error as Error).message}); restore it`)
  }
}

/**
 * Whether the keys in the file of the data directory have changed since the service started with them.
 * @returns its name, or nothing @throws SettingError when it has other content
 */
export function changedMasterKeyFile(
  { dataDir, masterKey }: Pick<Config, 'dataDir' | 'masterKey'>,
  running: readonly string[],
): readonly string[] {
  if (masterKey !== null) return []
  const file = masterKeyFile(dataDir)
  const kept = readMasterKeyFile(file)
  return kept === null ||
    isDeepStrictEqual(
      kept.map((key) => keyIdOf(checkOf(key))),
      running,
    )
    ? []
    : [file]
}

/** @throws SettingError when it cannot be written, or already exists */
export function writeMasterKeyFile(file: string, keys: MasterKeys): void {
  write(file, keys.map((key) => Buffer.from(key).toString('base64')).join('\n'))
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SettingError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Writes the file completely or not at all, even if the process is killed. Never replaces a file that exists. */
function write(file: string, value: string): void {
  const draft = `${file}.${process.pid}.draft`
  try {
    // `flush`: secrets are encrypted under it within seconds, so it must survive a power cut.
    writeFileSync(draft, `${value}\n`, { flag: 'w', mode: 0o600, flush: true })
    linkSync(draft, file)
    syncFile(path.dirname(file))
  } catch (error) {
    throw new SettingError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`)
  } finally {
    rmSync(draft, { force: true })
  }
}
