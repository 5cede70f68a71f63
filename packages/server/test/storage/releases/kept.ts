import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { newTestSchema, type TestSchema } from '../../support/testSchema.ts'

const HERE = import.meta.dirname
export const DATABASE = 'posthorn.db'
export const MASTER_KEY = 'master-key'
export const DUMP = 'posthorn.sql'
/** The server as `npm pack` packs it. */
export const PROGRAM = 'server.tgz'
/** Placeholder of the schema in dumps, which is unique in them. */
export const SCHEMA_OF_DUMP = 'kept_release'

export const directoryOf = (release: string): string => path.join(HERE, release)

/** Releases whose stores were kept. */
export const releases = (): readonly string[] =>
  readdirSync(HERE, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

const unzipped = (release: string, name: string): Buffer =>
  gunzipSync(readFileSync(path.join(directoryOf(release), `${name}.gz`)))

/** The data directory of an embedded store as the release left it; goes with the test. */
export function keptDataDirectory(release: string): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'posthorn-release-'))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  const dataDir = path.join(parent, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(path.join(dataDir, DATABASE), unzipped(release, DATABASE), { mode: 0o600 })
  const key = readFileSync(path.join(directoryOf(release), MASTER_KEY))
  writeFileSync(path.join(dataDir, MASTER_KEY), key, { mode: 0o600 })
  return dataDir
}

/** A schema with a store as the release left it; goes with the test. */
export async function keptSchema(release: string): Promise<TestSchema> {
  const schema = await newTestSchema()
  onTestFinished(schema.drop)
  const client = await schema.connect()
  try {
    await client.query(unzipped(release, DUMP).toString().replaceAll(SCHEMA_OF_DUMP, schema.name))
  } finally {
    await client.end()
  }
  return schema
}
