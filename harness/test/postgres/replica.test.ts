import { afterEach, describe, expect, it } from 'vitest'
import { replicasPossible, startReplica } from '../../src/postgres/replica.ts'
import { type PostgresServer, startPostgres } from '../../src/postgres/server.ts'
import { eventually } from '../../src/support/waiting.ts'

const servers: PostgresServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.remove()
})

async function started(server: Promise<PostgresServer>): Promise<PostgresServer> {
  servers.push(await server)
  return server
}

async function primaryWithRow(): Promise<PostgresServer> {
  const primary = await started(startPostgres())
  await primary.query('create table kept (n int)')
  await primary.query('insert into kept values (1)')
  return primary
}

const kept = async (server: PostgresServer) =>
  (await server.query('select n from kept order by n')).map(({ n }) => n)

describe('a replica', () => {
  it('has the rows of its primary, follows it, and catches up after a restart', async ({ skip }) => {
    skip(!replicasPossible(), 'PostgreSQL here has no pg_basebackup')
    const primary = await primaryWithRow()
    const replica = await started(startReplica(primary))
    expect(await kept(replica)).toEqual([1])
    await replica.stop()
    await primary.query('insert into kept values (2)')
    await replica.start()
    await eventually(async () => ((await kept(replica)).length === 2 ? true : null), {
      withinMs: 20_000,
      what: 'the row that was added',
    })
    await expect(replica.query('insert into kept values (3)')).rejects.toThrow('read-only')
  })

  it('a synchronous one has every confirmed row when it is promoted after the end of its primary', async ({
    skip,
  }) => {
    skip(!replicasPossible(), 'PostgreSQL here has no pg_basebackup')
    const primary = await primaryWithRow()
    const replica = await started(startReplica(primary, { synchronous: true }))
    for (let n = 2; n <= 20; n++) await primary.query('insert into kept values ($1)', [n])
    await primary.kill()
    await replica.promote()
    expect(await kept(replica)).toHaveLength(20)
    await replica.query('insert into kept values (21)')
    expect(await kept(replica)).toHaveLength(21)
  })

  it('a synchronous one that is down blocks commits until it is back', async ({ skip }) => {
    skip(!replicasPossible(), 'PostgreSQL here has no pg_basebackup')
    const primary = await primaryWithRow()
    const replica = await started(startReplica(primary, { synchronous: true }))
    await replica.stop()
    const commit = primary.query('insert into kept values (2)')
    await eventually(
      async () =>
        (await primary.query("select from pg_stat_activity where wait_event = 'SyncRep'")).length || null,
      { withinMs: 20_000, what: 'a commit that waits for the replica' },
    )
    expect(await kept(primary)).toEqual([1])
    await replica.start()
    await commit
    expect(await kept(primary)).toEqual([1, 2])
  })
})
