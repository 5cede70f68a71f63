import pg from 'pg'
import { query } from './query.ts'

function withDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${encodeURIComponent(name)}`
  return other.href
}

/** Creates an empty database beside that of `url`. @returns its URL */
export async function createDatabase(url: string, name: string): Promise<string> {
  await query(url, `create database ${pg.escapeIdentifier(name)}`)
  return withDatabase(url, name)
}

/** Ends the connections to a database beside that of `url` and drops it, if it exists. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await query(url, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
}
