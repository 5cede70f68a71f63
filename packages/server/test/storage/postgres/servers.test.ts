import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { cancelRequest } from '../../../src/storage/postgres/connections.ts'
import { parseDatabaseUrl } from '../../../src/storage/postgres/servers.ts'

const placesOf = (url: string) => parseDatabaseUrl(url)?.map(({ host, port }) => `${host}:${port}`)

test.each([
  ['postgres://db/posthorn', 'db:5432'],
  ['postgresql://posthorn@db:6432/posthorn?application_name=a', 'db:6432'],
  ['postgres://posthorn:p%40ss%2Fw%23%3F%25@db/posthorn', 'db:5432'],
  ['postgres://posthorn:secret@first:1,second,[::1]:3/posthorn', 'first:1,second:5432,::1:3'],
  ['postgres://posthorn:secret@%2Frun%2Fpostgresql/posthorn', '%2Frun%2Fpostgresql:5432'],
])('%s names %s', (url, places) => expect(placesOf(url)?.join()).toBe(places))

test.each([
  'p@ss',
  'p@ss/word',
  'p@ss?word',
  'p@ss#word',
  'p@1,2',
  '2024#secret',
  '2024?secret',
  '2024/secret',
  'p%ffss',
  'p%ss',
  'p ss',
])('with a password that is not percent-encoded, %s, no part is used as a host', (password) =>
  expect(parseDatabaseUrl(`postgres://posthorn:${password}@db/posthorn`)).toBeNull(),
)

test('a server with a socket in a directory gets its cancel requests there', async () => {
  const host = mkdtempSync(path.join(tmpdir(), 'posthorn-socket-'))
  const server = createServer()
  const asked = new Promise<Buffer>((resolve) => {
    server.on('connection', (socket) => socket.once('data', resolve))
  })
  await new Promise<void>((ready) => server.listen(path.join(host, '.s.PGSQL.5433'), ready))
  cancelRequest({ host, port: 5433, processID: 7, secretKey: -9 } as unknown as pg.Client)
  expect((await asked).toString('hex')).toBe('0000001004d2162e00000007fffffff7')
  await new Promise((closed) => server.close(closed))
  rmSync(host, { recursive: true })
})
