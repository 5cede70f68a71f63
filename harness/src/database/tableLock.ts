import pg from 'pg'

/** Locks a table until it is stopped. */
export class TableLock {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  /** Resolves when it has the lock. */
  static async take(databaseUrl: string, table: string): Promise<TableLock> {
    const client = new pg.Client({ connectionString: databaseUrl })
    client.on('error', () => undefined)
    await client.connect()
    await client.query('begin')
    await client.query(`lock table ${table} in access exclusive mode`)
    return new TableLock(client)
  }

  async release(): Promise<void> {
    await this.#client.end()
  }
}
