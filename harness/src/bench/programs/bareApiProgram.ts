import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import fastify from 'fastify'
import { startOf, tell } from '../../support/programSide.ts'
import type { BareApiListening, BareApiStart } from './bareApi.ts'

interface Endpoint {
  readonly id: string
  readonly url: string
  readonly types: string
  readonly description: string
  readonly createdAt: number
}

const { databaseFile, create, list, publish } = await startOf<BareApiStart>()

const db = new Database(databaseFile)
db.exec(`
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE endpoints (id TEXT PRIMARY KEY, url TEXT, types TEXT, description TEXT, created_at INTEGER);
  CREATE INDEX endpoints_by_age ON endpoints (created_at);
  CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT, body TEXT, created_at INTEGER);
`)
const insertEndpoint = db.prepare('INSERT INTO endpoints VALUES (?, ?, ?, ?, ?)')
const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?)')
const newest = db.prepare<[number], Endpoint>(
  `SELECT id, url, types, description, created_at AS createdAt FROM endpoints
   ORDER BY created_at DESC LIMIT ?`,
)

const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false } } })

app.post(
  '/endpoints',
  { schema: { body: create.body, response: { 201: create.response } } },
  (request, reply) => {
    const {
      url,
      types = [],
      description = '',
    } = request.body as Partial<Record<'url' | 'description', string>> & {
      types?: string[]
    }
    const id = randomUUID()
    const now = Date.now()
    insertEndpoint.run(id, url, JSON.stringify(types), description, now)
    const createdAt = new Date(now).toISOString()
    const endpoint = { id, url, types, description, createdAt, updatedAt: createdAt }
    reply.code(201).send({ ...endpoint, signingSecret: id, secretOmitted: null })
  },
)

app.get(
  '/endpoints',
  { schema: { querystring: list.querystring, response: { 200: list.response } } },
  (_request, reply) => {
    const data = newest.all(20).map((row) => {
      const createdAt = new Date(row.createdAt).toISOString()
      return { ...row, types: JSON.parse(row.types), createdAt, updatedAt: createdAt }
    })
    reply.send({ data, nextCursor: null })
  },
)

app.post(
  '/events',
  { schema: { body: publish.body, response: { 202: publish.response } } },
  (request, reply) => {
    const event = request.body as { type: string }
    const id = randomUUID()
    insertEvent.run(id, event.type, JSON.stringify(event), Date.now())
    reply.code(202).send({ id, repeated: false })
  },
)

await app.listen({ host: '127.0.0.1', port: 0 })
const address = app.server.address()
const port = typeof address === 'object' && address !== null ? address.port : 0
tell({ kind: 'listening', port } satisfies BareApiListening)
