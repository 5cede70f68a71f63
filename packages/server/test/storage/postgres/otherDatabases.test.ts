import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, dropDatabase } from '../../../../../harness/src/postgres/databases.ts'
import { query } from '../../../../../harness/src/postgres/query.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts'
import { flat } from '../../support/flatStorage.ts'
import { postgresUrl } from '../../support/postgresUrl.ts'
import { World } from '../conformance/world.ts'

const open = async (url: string) => flat(await openPostgresStorage({ url, clock: systemClock }))

let server: string
let name: string
beforeEach(async () => {
  server = await postgresUrl()
  name = `test_${randomBytes(6).toString('hex')}`
})
afterEach(() => dropDatabase(server, name))

test('a database that cannot store every text is rejected', async () => {
  await query(
    server,
    `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  await expect(open(url.href)).rejects.toThrow('the database has the encoding LATIN1')
})

test('a database with another output format works like any other', async () => {
  const url = await createDatabase(server, name)
  const usual = await open(url)
  const { idKey } = usual
  await usual.close()
  for (const setting of ['bytea_output = escape', 'array_nulls = off', `client_encoding = 'LATIN1'`])
    await query(server, `ALTER DATABASE ${name} SET ${setting}`)
  const store = await open(url)
  expect(store.idKey).toEqual(idKey)
  const w = new World(store)
  const workspace = await w.workspace()
  const sealedSecret = Uint8Array.of(0, 92, 39, 255)
  const webhook = await w.webhook(workspace, { sealedSecret })
  const [ref] = await w.leased(await w.node(), workspace)
  expect(ref!.webhookId).toBe(webhook.id)
  const [target] = await store.loadTargets({ webhookIds: [webhook.id], now: w.now })
  expect(target!.secrets).toEqual([{ sealed: sealedSecret, expiresAt: null }])
  await store.close()
})
