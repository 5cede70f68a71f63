import pg from 'pg'

const CONNECT_WITHIN_MS = 5_000

export type Row = Readonly<Record<string, unknown>>

/** Runs one statement in its own connection. @throws Error of the connection or of the statement */
export async function query(url: string, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    ssl: false,
  })
  // Without a listener, a server that ends between two messages would end this process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Row>(sql, [...values])
    return rows
  } finally {
    await client.end().catch(() => undefined)
  }
}
