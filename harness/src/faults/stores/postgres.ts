import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { query } from '../../postgres/query.ts'
import { FAST_SETTINGS, startPostgres } from '../../postgres/server.ts'
import { TcpProxy } from '../../support/tcpProxy.ts'
import { databaseFaults } from '../kinds/database.ts'
import { networkFaults } from '../kinds/network.ts'
import type { StoreUnderTest } from './store.ts'

/** What nodes store there, apart from the rows that users see. */
const COUNTS = `
  SELECT (SELECT count(*) FROM posthorn.nodes)::int AS nodes,
    (SELECT count(*) FROM posthorn.held_deliveries)::int AS held,
    (SELECT count(*) FROM posthorn.leases l
      WHERE NOT EXISTS (SELECT 1 FROM posthorn.nodes n WHERE n.id = l.node_id))::int AS "orphanedLeases",
    (SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'posthorn')::int AS connections`
/** The rows that best explain why something is left over. */
const ROWS_KEPT = {
  nodes: 'SELECT *, posthorn.now_ms() AS now FROM posthorn.nodes',
  leases: 'SELECT * FROM posthorn.leases',
  waiting: 'SELECT * FROM posthorn.waiting',
  pending: "SELECT * FROM posthorn.deliveries WHERE status = 'pending' OR lease IS NOT NULL",
  webhooks: 'SELECT * FROM posthorn.webhooks',
  connections: 'SELECT * FROM pg_stat_activity',
}
/** A node has two pools, and one listening connection. */
const MAX_CONNECTIONS = 11

/** @param directory of the nodes' own files */
export async function postgresStore(
  directory: string,
  nodes: number,
  leaseMs: number,
): Promise<StoreUnderTest> {
  const server = await startPostgres({ settings: FAST_SETTINGS })
  const url = await server.createDatabase('posthorn')
  const proxies: TcpProxy[] = []
  for (let node = 0; node < nodes; node++)
    proxies.push(await TcpProxy.start({ host: '127.0.0.1', port: server.port }))
  const masterKey = randomBytes(32).toString('base64')
  return {
    shared: true,
    kinds: [...databaseFaults(server), ...networkFaults(proxies, leaseMs)],
    untried: [],
    dataDirOf(node) {
      const dataDir = path.join(directory, `node-${node + 1}`)
      mkdirSync(dataDir, { recursive: true })
      return dataDir
    },
    settingsOf: (node) => ({
      POSTHORN_DATABASE_URL: through(proxies[node]!, url),
      POSTHORN_MASTER_KEY: masterKey,
    }),
    async leftovers() {
      const [row] = await query(url, COUNTS)
      const counts = row as Record<'nodes' | 'held' | 'orphanedLeases' | 'connections', number>
      const isTidy =
        counts.nodes === nodes &&
        counts.held === 0 &&
        counts.orphanedLeases === 0 &&
        counts.connections <= nodes * MAX_CONNECTIONS
      return isTidy ? null : JSON.stringify(counts)
    },
    async stop(keepIn) {
      if (keepIn !== null) await keepRows(url, server.log, keepIn)
      for (const proxy of proxies) proxy.stop()
      await server.remove()
    },
  }
}

async function keepRows(url: string, log: string, directory: string): Promise<void> {
  writeFileSync(path.join(directory, 'postgres.log'), log)
  for (const [name, sql] of Object.entries(ROWS_KEPT)) {
    const rows = await query(url, sql).catch((error: unknown) => [{ error: String(error) }])
    writeFileSync(path.join(directory, `rows-${name}.json`), JSON.stringify(rows, null, 2))
  }
}

function through(proxy: TcpProxy, url: string): string {
  const other = new URL(url)
  other.port = String(proxy.port)
  return other.href
}
