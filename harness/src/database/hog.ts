import pg from 'pg'

/** Takes all connections of a server; the first one controls it. */
export class ConnectionHog {
  readonly #url: string
  readonly #governor: pg.Client
  readonly #clients: pg.Client[] = []

  private constructor(url: string, governor: pg.Client) {
    this.#url = url
    this.#governor = governor
  }

  static async start(url: string): Promise<ConnectionHog> {
    return new ConnectionHog(url, await connected(url))
  }

  /** Ends the nodes' connections and takes their slots. Resolves when they have none. */
  async takeAll(): Promise<void> {
    do {
      await this.#governor.query(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'posthorn'",
      )
      await this.#takeFree()
    } while ((await this.#connectionsOfNodes()) > 0)
  }

  /** Releases all connections. */
  async stop(): Promise<void> {
    const clients = [...this.#clients.splice(0), this.#governor]
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }

  async #takeFree(): Promise<void> {
    for (;;) {
      try {
        this.#clients.push(await connected(this.#url))
      } catch {
        return
      }
    }
  }

  async #connectionsOfNodes(): Promise<number> {
    const { rows } = await this.#governor.query(
      "select 1 from pg_stat_activity where application_name = 'posthorn'",
    )
    return rows.length
  }
}

/** @throws Error when there is no free connection */
async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
