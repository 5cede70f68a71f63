import type pg from 'pg'
import { systemClock } from '../../src/core/clock.ts'
import { openPostgresStorage } from '../../src/storage/postgres/open.ts'
import { newTestSchema, type TestSchema } from './testSchema.ts'

/** The content of an unused store. */
interface Beginning {
  readonly tables: readonly string[]
  /** Rows as JSON, by table. */
  readonly rows: ReadonlyMap<string, readonly string[]>
}

interface Emptiable {
  readonly schema: TestSchema
  readonly beginning: Beginning
}

/** Of this process. Emptying one takes a tenth of the time of creating one. */
const spare: Emptiable[] = []

/** A schema with an empty store. Dropping it empties it for the next test of this process. */
export async function storeSchema(): Promise<TestSchema> {
  const one = spare.pop() ?? (await make())
  return {
    ...one.schema,
    async drop() {
      await withClient(one.schema, (client) => empty(client, one))
      spare.push(one)
    },
  }
}

async function make(): Promise<Emptiable> {
  const schema = await newTestSchema()
  const storage = await openPostgresStorage({ url: schema.url, schema: schema.name, clock: systemClock })
  await storage.close()
  return { schema, beginning: await withClient(schema, (client) => beginningOf(client, schema)) }
}

async function withClient<Result>(
  schema: TestSchema,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await schema.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

async function beginningOf(client: pg.Client, { name }: TestSchema): Promise<Beginning> {
  const tables = await tablesOf(client, name)
  const rows = new Map<string, readonly string[]>()
  for (const { table, filled } of tables) {
    if (!filled) continue
    const found = await client.query<{ row: string }>(`SELECT to_json(t)::text AS row FROM ${table} t`)
    rows.set(
      table,
      found.rows.map(({ row }) => row),
    )
  }
  return { tables: tables.map(({ table }) => table), rows }
}

async function empty(client: pg.Client, { schema: { name }, beginning }: Emptiable): Promise<void> {
  const tables = await tablesOf(client, name)
  const added = tables.filter(({ table }) => !beginning.tables.includes(table))
  const filled = tables.filter((one) => one.filled && !added.includes(one))
  if (added.length > 0) await client.query(`DROP TABLE ${added.map(({ table }) => table).join()} CASCADE`)
  await client.query(`TRUNCATE ${filled.map(({ table }) => table).join()} CASCADE`)
  await client.query(
    `SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence
    JOIN pg_class ON pg_class.oid = seqrelid WHERE relnamespace = $1::regnamespace`,
    [name],
  )
  for (const [table, rows] of beginning.rows)
    await client.query(
      `INSERT INTO ${table} SELECT (json_populate_record(NULL::${table}, one)).* FROM unnest($1::json[]) AS one`,
      [rows],
    )
}

/** Tables and partitions, and whether anything was written to them since they were created or emptied. */
async function tablesOf(client: pg.Client, schema: string): Promise<{ table: string; filled: boolean }[]> {
  const { rows } = await client.query(
    `SELECT relname AS table, relkind = 'r' AND pg_relation_size(oid) > 0 AS filled FROM pg_class
    WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')`,
    [schema],
  )
  return rows
}
