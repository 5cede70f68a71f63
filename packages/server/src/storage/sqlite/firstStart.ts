import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { databaseFile, hasBytes } from './dataDirectory.ts'
import { syncFile } from './syncFile.ts'

/**
 * There while the first start makes the key and the store, and gone before anything is served: what a killed first start
 * leaves is told by it from what is left of a lost store.
 */
const MARK = 'first-start'
const MARK_TEXT = 'A store is being made in this directory. This file goes once it is complete.\n'

/** Opening a store makes files whose names begin like this in its data directory. */
const TRACE = /^(posthorn\.db|lock\.(db|pid)$)/

/** What a data directory has in the place of a store, by the names and sizes of files alone. */
export type Found =
  | { readonly state: 'store' | 'nothing' | 'unfinished' }
  /** There was a store. */
  | { readonly state: 'lost'; readonly isEmpty: boolean; readonly traces: readonly string[] }

/** @param keyFiles names of files that a store leaves besides its own */
export function lookForStore(dataDir: string, keyFiles: readonly string[]): Found {
  const names = namesIn(dataDir)
  const file = databaseFile(dataDir)
  if (names.includes(MARK)) return { state: 'unfinished' }
  if (hasBytes(file)) return { state: 'store' }
  const traces = names.filter((name) => TRACE.test(name) || keyFiles.includes(name))
  if (traces.length === 0) return { state: 'nothing' }
  const database = path.basename(file)
  const others = traces.filter((name) => name !== database).sort()
  return { state: 'lost', isEmpty: traces.length > others.length, traces: others }
}

/** Must come before the first file of a new store. */
export function beginStore(dataDir: string): void {
  writeFileSync(path.join(dataDir, MARK), MARK_TEXT, { mode: 0o600, flush: true })
  syncFile(dataDir)
}

/** Must come before anything is served. */
export function storeIsWhole(dataDir: string): void {
  if (!existsSync(path.join(dataDir, MARK))) return
  rmSync(path.join(dataDir, MARK), { force: true })
  syncFile(dataDir)
}

function namesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
  } catch (error) {
    // Whatever else is wrong with it is found when it is prepared.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
