import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { provideBinaries } from '../../../../../harness/src/postgres/provide.ts'
import { masterKeyFile, writeMasterKeyFile } from '../../../src/cli/generatedKeys.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { checkOf, createSecretBox } from '../../../src/engine/secretBox.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { makeHistory } from '../../cli/move/history.ts'
import { type FlatStorage, flat } from '../../support/flatStorage.ts'
import { newTestSchema } from '../../support/testSchema.ts'
import { DATABASE, DUMP, directoryOf, MASTER_KEY, PROGRAM, SCHEMA_OF_DUMP } from './kept.ts'

const KEY = new Uint8Array(32).fill(7)

/**
 * Stores both stores as the current program creates them, as those of the release, and the program itself.
 */
export async function keepRelease(release: string): Promise<void> {
  mkdirSync(directoryOf(release), { recursive: true })
  keepProgram(release)
  await keepDataDirectory(release)
  await keepDump(release)
}

function keepProgram(release: string): void {
  const target = directoryOf(release)
  const pack = ['pack', '--silent', '--workspace', '@posthorn/server', '--pack-destination', target]
  const packed = execFileSync('npm', pack, { encoding: 'utf8' }).trim()
  renameSync(path.join(target, packed), path.join(target, PROGRAM))
}

async function keepDataDirectory(release: string): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-keep-'))
  const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
  await fill(storage)
  await storage.close()
  writeMasterKeyFile(masterKeyFile(dataDir), [KEY])
  keep(release, `${DATABASE}.gz`, gzipSync(readFileSync(path.join(dataDir, DATABASE)), { level: 9 }))
  keep(release, MASTER_KEY, readFileSync(masterKeyFile(dataDir)))
  rmSync(dataDir, { recursive: true })
}

async function keepDump(release: string): Promise<void> {
  const schema = await newTestSchema()
  const storage = flat(
    await openPostgresStorage({ url: schema.url, schema: schema.name, clock: systemClock }),
  )
  await storage.keepKeyCheck({ check: checkOf(KEY) })
  await fill(storage)
  await storage.close()
  const flags = ['--no-owner', '--no-privileges', '--no-comments', '--inserts', '--rows-per-insert=500']
  const program = path.join(provideBinaries().directory, 'pg_dump')
  const dump = execFileSync(program, [...flags, `--schema=${schema.name}`, schema.url], { encoding: 'utf8' })
  keep(release, `${DUMP}.gz`, gzipSync(portable(dump).replaceAll(schema.name, SCHEMA_OF_DUMP), { level: 9 }))
  await schema.drop()
}

async function fill(storage: FlatStorage): Promise<void> {
  const { w, content } = await makeHistory(storage)
  const publicId = w.name('wh_')
  const sealedSecret = createSecretBox([KEY]).seal('whsec_kept', publicId)
  await w.webhook(content, { publicId, description: 'Signed', sealedSecret })
}

/** Without parts only for psql, and settings that only newer servers know. */
const portable = (dump: string): string =>
  dump.replaceAll(/^(\\.*|--.*|SET .*;|SELECT pg_catalog\.set_config.*)\n/gm, '').replaceAll(/\n{2,}/g, '\n')

function keep(release: string, name: string, content: Uint8Array): void {
  writeFileSync(path.join(directoryOf(release), name), content)
}
