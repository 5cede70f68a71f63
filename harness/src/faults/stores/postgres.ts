import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { query } from '../../postgres/query.ts'
import { FAST_SETTINGS, startPostgres } from '../../postgres/server.ts'
import { databaseFaults } from '../kinds/database.ts'
import type { StoreUnderTest } from './store.ts'

/** What nodes keep there, apart from the rows that users see. */
const COUNTS = `
  SELECT (SELECT count(*) FROM posthorn.nodes)::int AS nodes,
    (SELECT count(*) FROM posthorn.held_deliveries)::int AS held,
    (SELECT count(*) FROM posthorn.leases l
      WHERE NOT EXISTS (SELECT 1 FROM posthorn.nodes n WHERE n.id = l.node_id))::int AS "orphanedLeases",
    (SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'posthorn')::int AS connections`
/** A node has two pools, and one connection that listens. */
const MAX_CONNECTIONS = 11

/** @param directory where the nodes' own files go */
export async function postgresStore(directory: string, nodes: number): Promise<StoreUnderTest> {
  const server = await startPostgres({ settings: FAST_SETTINGS })
  const url = await server.createDatabase('posthorn')
  const masterKey = randomBytes(32).toString('base64')
  return {
    shared: true,
    kinds: databaseFaults(server),
    untried: [],
    dataDirOf(node) {
      const dataDir = path.join(directory, `node-${node + 1}`)
      mkdirSync(dataDir, { recursive: true })
      return dataDir
    },
    settingsOf: () => ({ POSTHORN_DATABASE_URL: url, POSTHORN_MASTER_KEY: masterKey }),
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
      if (keepIn !== null) writeFileSync(path.join(keepIn, 'postgres.log'), server.log)
      await server.remove()
    },
  }
}
