import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts'
import { newTestSchema } from '../../support/testSchema.ts'

/** Nothing listens there. */
const CLOSED = '127.0.0.1:1'
const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server that answers each message of a client in turn. @returns its `host:port` */
async function serverThat(...answers: ((received: Buffer) => Buffer)[]): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const left = [...answers]
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (received) => void socket.write(left.shift()?.(received) ?? ''))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closers.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `127.0.0.1:${(server.address() as { port: number }).port}`
}

/** @param body as in the protocol: integers as four bytes, texts unchanged */
function message(type: string, ...body: (number | string)[]): Buffer {
  const parts = body.map((part) => {
    if (typeof part === 'string') return Buffer.from(part)
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(part)
    return bytes
  })
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + Buffer.concat(parts).length)
  return Buffer.concat([Buffer.from(type), length, ...parts])
}

const wrongPassword = () =>
  message('E', 'SFATAL\0C28P01\0Mpassword authentication failed for user "posthorn"\0\0')

const opening = (url: string) => openPostgresStorage({ url, clock: systemClock })

test('several servers that reject are each reported with their reason, and none with the password', async () => {
  const first = await serverThat(wrongPassword)
  const refusal = opening(`postgres://posthorn:s3cret@${first},${CLOSED}/events`)
  await expect(refusal).rejects.toThrow(
    `the database cannot be used: ${first}/events: 28P01: password authentication failed for user "posthorn"; ${CLOSED}/events: connect ECONNREFUSED ${CLOSED}`,
  )
  await expect(refusal).rejects.not.toThrow('s3cret')
})

test('a server that asks for a password that the URL does not have', async () => {
  const place = await serverThat(
    () => message('R', 10, 'SCRAM-SHA-256\0\0'),
    (first) => {
      const nonce = /r=([^,\0]+)/.exec(first.toString())![1]
      return message('R', 11, `r=${nonce}more,s=QSXCR+Q6sek8bf92,i=4096`)
    },
  )
  await expect(opening(`postgres://posthorn@${place}/events`)).rejects.toThrow(
    `the database cannot be used: ${place}/events: the server requires a password, and the URL does not contain one`,
  )
})

test('a user who may not create the schema', async () => {
  const { url, name, connect } = await newTestSchema()
  const admin = await connect()
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`)
  const theirs = Object.assign(new URL(url), { username: name, password: 'secret' })
  await expect(openPostgresStorage({ url: theirs.href, schema: name, clock: systemClock })).rejects.toThrow(
    `the user of POSTHORN_DATABASE_URL has no permission to create tables in ${theirs.hostname}:${theirs.port}${theirs.pathname}`,
  )
  await admin.query(`DROP ROLE ${name}`)
  await admin.end()
})
