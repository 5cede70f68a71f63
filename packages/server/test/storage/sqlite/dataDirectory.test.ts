import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { StoreOpenError } from '../../../src/storage/storage.ts'
import { flat } from '../../support/flatStorage.ts'
import { type Program, start } from './programs/start.ts'

const HOLD_STORE = new URL('./programs/holdStore.ts', import.meta.url)

describe('data directory', () => {
  let parent: string
  let programs: Program[]
  const open = async (dataDir: string) => flat(await openSqliteStorage({ dataDir, clock: systemClock }))

  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'posthorn-store-'))
    programs = []
  })
  afterEach(async () => {
    await Promise.all(programs.map((program) => program.kill()))
    await rm(parent, { recursive: true })
  })

  /** Opens the store in another process. */
  async function holder(dataDir: string): Promise<Program> {
    const program = start(HOLD_STORE, [dataDir])
    programs.push(program)
    await program.said(1)
    return program
  }

  test('a missing directory is created, and no other user can read its content', async () => {
    const dataDir = path.join(parent, 'deep', 'data')
    const storage = await open(dataDir)
    await storage.listWorkspaces({ limit: 1, before: null })
    const modes = async (name: string) => (await stat(path.join(dataDir, name))).mode & 0o777
    expect(await modes('.')).toBe(0o700)
    const files = await readdir(dataDir)
    expect(files).toContain('posthorn.db-wal')
    for (const file of files) expect([file, await modes(file)]).toEqual([file, 0o600])
    await storage.close()
  })

  test('a file in place of the directory is rejected with a line that names it', async () => {
    const file = path.join(parent, 'file')
    await writeFile(file, '')
    await expect(open(file)).rejects.toThrow(StoreOpenError)
    await expect(open(file)).rejects.toThrow(`data directory ${file} cannot be used: it is not a directory`)
    await expect(open(path.join(file, 'below'))).rejects.toThrow('it is not a directory')
  })

  test.runIf(existsSync('/proc/self'))('a directory where none can be created is rejected', async () => {
    const reason =
      process.getuid?.() === 0 ? '/proc cannot contain directories. Set' : 'no permission to write'
    for (const dataDir of ['/proc/posthorn', '/proc/posthorn/deep/data'])
      await expect(open(dataDir)).rejects.toThrow(`data directory ${dataDir} cannot be used: ${reason}`)
  })

  test('a directory without write permission is rejected', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write everywhere')
    const dataDir = path.join(parent, 'data')
    await mkdir(dataDir)
    await chmod(dataDir, 0o500)
    await expect(open(dataDir)).rejects.toThrow('no permission to write to it')
  })

  test('a second process is rejected with one line that names the directory and the first', async () => {
    const first = await holder(parent)
    expect(first.lines).toEqual(['opened'])
    const line = `data directory ${parent} is in use by another posthorn process (pid ${first.pid})`
    const error = await open(parent).catch((reason: unknown) => reason)
    expect(error).toEqual(new StoreOpenError(line))
    const third = await holder(parent)
    expect(third.lines).toEqual([`StoreOpenError: ${line}`])
  })

  test('the lock is gone as soon as its process is killed', async () => {
    const first = await holder(parent)
    await first.kill()
    const storage = await open(parent)
    await storage.check()
    await storage.close()
  })

  test('a store that rejected a second opener keeps its lock', async () => {
    const storage = await open(parent)
    for (let i = 0; i < 2; i++) await expect(open(parent)).rejects.toThrow('is in use')
    const other = await holder(parent)
    expect(other.lines[0]).toContain('is in use')
    await storage.check()
    await storage.close()
  })

  test('a store that was closed can be opened again', async () => {
    for (let i = 0; i < 3; i++) await (await open(parent)).close()
  })

  test('a file that is not a database is rejected and not changed', async () => {
    const file = path.join(parent, 'posthorn.db')
    await writeFile(file, 'something else'.repeat(1000))
    // The second time shows that the first has released the directory.
    for (let i = 0; i < 2; i++)
      await expect(open(parent)).rejects.toThrow(
        `the store in ${parent} cannot be opened: SQLITE_NOTADB: file is not a database. Restore a backup: `,
      )
    expect((await stat(file)).size).toBe(14_000)
  })
})
