import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { query } from '../../src/postgres/query.ts'
import { FAST_SETTINGS, type PostgresServer, startPostgres } from '../../src/postgres/server.ts'
import { Program } from '../../src/support/program.ts'
import { eventually } from '../../src/support/waiting.ts'
import type { FromOwner } from './ownerProgram.ts'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres({ settings: { application_name: "it's set" } })
  await server.query('create table kept (n int primary key)')
})

afterAll(() => server.remove())

const add = (n: number) => server.query('insert into kept values ($1)', [n])
const kept = async () => (await server.query('select n from kept order by n')).map(({ n }) => n)

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('answers, with its configured settings', async () => {
  const [row] = await server.query('select version(), current_user as user')
  expect(row).toEqual({ version: expect.stringMatching(/^PostgreSQL /), user: 'posthorn' })
  expect(await server.query('show fsync')).toEqual([{ fsync: 'on' }])
  expect(await server.query("select reset_val from pg_settings where name = 'application_name'")).toEqual([
    { reset_val: "it's set" },
  ])
})

it('listens only on the loopback interface', async () => {
  const shown = await server.query(
    "select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets",
  )
  expect(shown).toEqual([{ addresses: '127.0.0.1', sockets: '' }])
})

it('never runs as root', () => {
  // PostgreSQL serves only directories of its own user.
  expect(statSync(server.dataDir).uid).not.toBe(0)
})

it('keeps its rows and its port over a restart', async () => {
  const { port, pid } = server
  await add(1)
  await server.restart()
  expect(server.port).toBe(port)
  expect(server.pid).not.toBe(pid)
  expect(await kept()).toEqual([1])
})

it.each(['smart', 'fast', 'immediate'] as const)(
  'keeps committed rows after a stop that is %s',
  async (mode) => {
    const before = await kept()
    await add(before.length + 1)
    await server.stop(mode)
    await server.stop(mode)
    expect(() => server.pid).toThrow('does not run')
    await expect(server.query('select 1')).rejects.toThrow('ECONNREFUSED')
    await server.start()
    expect(await kept()).toEqual([...before, before.length + 1])
  },
)

it('restarts after a kill with open connections, and keeps committed rows', async () => {
  const before = await kept()
  await add(before.length + 1)
  const asleep = query(server.url(), 'select pg_sleep(600)').catch((error: Error) => error)
  await eventually(
    async () =>
      (await server.query("select from pg_stat_activity where wait_event = 'PgSleep'")).length || null,
    { withinMs: 10_000, what: 'a connection in the middle of a statement' },
  )
  await server.kill()
  await server.start()
  expect(await asleep).toBeInstanceOf(Error)
  expect(await kept()).toEqual([...before, before.length + 1])
})

it('restarts after a kill when another process has got its process id', async () => {
  const other = await startPostgres({ settings: FAST_SETTINGS })
  try {
    await server.kill()
    const file = path.join(server.dataDir, 'postmaster.pid')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(other.pid)))
    await server.start()
    expect(await other.query('select 1 as one')).toEqual([{ one: 1 }])
  } finally {
    await other.remove()
  }
})

it('creates and drops databases, also under connections', async () => {
  const url = await server.createDatabase('a "fresh" one')
  expect(await query(url, 'select current_database() as name')).toEqual([{ name: 'a "fresh" one' }])
  const asleep = query(url, 'select pg_sleep(600)').catch((error: Error) => error)
  await server.dropDatabase('a "fresh" one')
  expect(await asleep).toBeInstanceOf(Error)
  await expect(query(url, 'select 1')).rejects.toThrow('does not exist')
})

it('leaves no process and no directory when it is removed', async () => {
  const removed = await startPostgres({ settings: FAST_SETTINGS })
  const processes = [
    ...(await removed.query('select pid from pg_stat_activity')).map(({ pid }) => pid),
    removed.pid,
  ]
  expect(processes.length).toBeGreaterThan(2)
  await removed.remove()
  expect(processes.filter((pid) => isAlive(pid as number))).toEqual([])
  expect(existsSync(path.dirname(removed.dataDir))).toBe(false)
})

it("throws PostgreSQL's message when it cannot start, and leaves nothing behind", async () => {
  await expect(startPostgres({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
    /did not start: .*shared_buffers/s,
  )
})

it('is removed soon after its process was killed', async () => {
  const owner = new Program<never, FromOwner>(new URL('ownerProgram.ts', import.meta.url), {})
  const { url, dataDir } = await owner.next('started')
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  await owner.stop()
  await eventually(() => (existsSync(path.dirname(dataDir)) ? null : true), {
    withinMs: 20_000,
    what: 'end of a server without owner',
  })
  await expect(query(url, 'select 1')).rejects.toThrow('ECONNREFUSED')
})
