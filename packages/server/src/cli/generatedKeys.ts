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

/** A value that the operator set, or that a file of the data directory holds. */
interface ResolvedKey<T> {
  readonly value: T
  /** The file it was generated into just now; `null` when it was there already. */
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
 * The token that `posthorn serve` keeps in this directory, for commands run beside it; `null` when there is none.
 * @throws SettingError when what is there is none: an empty or cut file would leave a door shut, or open to a guess
 */
export function readAdminToken(dataDir: string): string | null {
  const file = adminTokenFile(dataDir)
  const kept = read(file)
  if (kept === null || isAdminToken(kept)) return kept
  throw new SettingError(`${file} does not hold an admin token; delete it and a new one is made`)
}

/** The file of the data directory that the admin token is kept in unless it is set. */
export const adminTokenFile = (dataDir: string): string => path.join(dataDir, ADMIN_TOKEN_FILE)

/**
 * The keys that are set or kept; `null` when there are none yet.
 * @throws SettingError when the file holds something else
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
  remedy = 'restore the file or set the variable',
): ResolvedKey<MasterKeys> {
  prepareDirectory(config.dataDir)
  const known = readMasterKeys(config)
  if (known !== null) return { value: known, generatedIn: null }
  const file = masterKeyFile(config.dataDir)
  if (needed) {
    throw new SettingError(
      `POSTHORN_MASTER_KEY: not set, and ${file} is missing, but the store was made under a key already; ${remedy}`,
    )
  }
  const value: MasterKeys = [Uint8Array.from(randomBytes(32))]
  writeMasterKeyFile(file, value)
  return { value, generatedIn: file }
}

/** The file of the data directory that the master key is kept in unless it is set. */
export const masterKeyFile = (dataDir: string): string => path.join(dataDir, MASTER_KEY_FILE)

/** @returns the keys that a file holds; `null` when there is no such file @throws SettingError when it holds something else */
export function readMasterKeyFile(file: string): MasterKeys | null {
  const kept = read(file)
  if (kept === null) return null
  try {
    return masterKeys(kept)
  } catch (error) {
    throw new SettingError(`${file} does not hold master keys (${(error as Error).message}); restore it`)
  }
}

/**
 * Whether the file of the data directory, where the keys are from it, has others by now than the service runs with.
 * @returns its name, or nothing @throws SettingError when it holds something else
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

/** @throws SettingError when it cannot be written, or is there already */
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
    // `flush`: secrets are encrypted under it within seconds; it must not be the one thing a power cut takes.
    writeFileSync(draft, `${value}\n`, { flag: 'w', mode: 0o600, flush: true })
    linkSync(draft, file)
    syncFile(path.dirname(file))
  } catch (error) {
    throw new SettingError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`)
  } finally {
    rmSync(draft, { force: true })
  }
}
