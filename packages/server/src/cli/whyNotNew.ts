import { existsSync } from 'node:fs'
import path from 'node:path'
import { placeOf } from '../storage/postgres/servers.ts'
import { type Found, storeExists } from '../storage/sqlite/dataDirectory.ts'
import { KEY_FILES } from './generatedKeys.ts'

/** @returns why no embedded store may be created in a data directory, in one line for the operator; `null`: one may */
export function whyNotNewHere(dataDir: string, found: Found): string | null {
  if (found.state !== 'lost') return null
  const { isEmpty, traces } = found
  const what = `posthorn.db is ${isEmpty ? 'empty' : 'missing'}`
  const shown = traces.length === 0 ? '' : `, but there are traces of a store: ${traces.join(', ')}`
  return `the store in ${path.resolve(dataDir)} is gone: ${what}${shown}. Restore a backup (posthorn restore <file>), set POSTHORN_DATABASE_URL if the store is in PostgreSQL, or start with an empty store (--new-store)`
}

/** @returns why no store may be created in an empty database, in one line for the operator; `null`: one may */
export function whyNotNewThere(dataDir: string, url: string): string | null {
  const keys = KEY_FILES.filter((name) => existsSync(path.join(dataDir, name)))
  const embedded = storeExists(dataDir)
  if (!embedded && keys.length === 0) return null
  const place = path.resolve(dataDir)
  const why = embedded
    ? `there is an embedded store in ${place}. Move it with posthorn move`
    : `${keys.join(' and ')} in ${place} belong${keys.length === 1 ? 's' : ''} to a store that is not there. Restore the database`
  return `${placeOf(url)} has no store, but ${why}, correct POSTHORN_DATABASE_URL, or start with an empty store (--new-store)`
}
