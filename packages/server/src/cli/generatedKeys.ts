import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { prepareDirectory, storeExists } from '../storage/sqlite/dataDirectory.ts'
import { type Config, SettingError } from './settings.ts'

const ADMIN_TOKEN_FILE = 'admin-token'
const MASTER_KEY_FILE = 'master-key'

/** A value that the operator set, or that a file of the data directory holds. */
interface Kept<T> {
  readonly value: T
  /** The file it was generated into just now; `null` when it was there already. */
  readonly generatedIn: string | null
}

export function keepAdminToken({ dataDir, adminToken: given }: Config): Kept<string> {
  if (given !== null) return { value: given, generatedIn: null }
  const file = path.join(dataDir, ADMIN_TOKEN_FILE)
  const kept = read(file)
  if (kept !== null) return { value: kept, generatedIn: null }
  const value = `pha_${randomBytes(32).toString('base64url')}`
  write(file, value)
  return { value, generatedIn: file }
}

/** The token that `posthorn serve` keeps in this directory, for commands run beside it; `null` when there is none. */
export function readAdminToken(dataDir: string): string | null {
  return read(path.join(dataDir, ADMIN_TOKEN_FILE))
}

/**
 * Must come before the store is made: a store without the key of its secrets could not be told from one that lost it.
 * @throws SettingError when the key is missing beside a store that needs it: a new one would open no secret
 */
export function keepMasterKey({ dataDir, masterKey: given }: Config): Kept<Uint8Array> {
  prepareDirectory(dataDir)
  if (given !== null) return { value: given, generatedIn: null }
  const file = path.join(dataDir, MASTER_KEY_FILE)
  const kept = read(file)
  if (kept !== null) {
    const value = Uint8Array.from(Buffer.from(kept, 'base64'))
    if (value.length !== 32) throw new SettingError(`${file} does not hold 32 bytes in base64; restore it`)
    return { value, generatedIn: null }
  }
  if (storeExists(dataDir)) {
    throw new SettingError(
      `POSTHORN_MASTER_KEY: not set, and ${file} is missing while the store has secrets under it; restore the file`,
    )
  }
  const value = Uint8Array.from(randomBytes(32))
  write(file, Buffer.from(value).toString('base64'))
  return { value, generatedIn: file }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SettingError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function write(file: string, value: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, `${value}\n`)
    // Secrets are encrypted under it within seconds; the file must not be the one thing a power cut takes.
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
