import path from 'node:path'
import Database from 'better-sqlite3'
import { query } from '../../postgres/query.ts'
import { type PostgresServer, startPostgres } from '../../postgres/server.ts'
import type { Settings as Environment } from '../../support/posthorn.ts'
import { directoryBytes } from '../measure/proc.ts'
import { copyDirectory, copyPostgres, startPostgresCopy } from './copies.ts'
import { cpuOfServer, writtenByServer } from './serverProcesses.ts'

export const STORES = ['sqlite', 'postgres'] as const
export type StoreName = (typeof STORES)[number]

/** Of 16 MB each. */
const LOG_FILES = 64
/** Of the service, in PostgreSQL. */
const DATABASE = 'bench'

const COUNT = 'SELECT count(*) AS count'
const PENDING = "WHERE status = 'pending'"

/** The store under the service in one round. */
export interface BenchStore {
  /** Settings that point the service to the store. */
  readonly environment: Environment
  /** Of the external database, if there is one. */
  readonly port: number | null
  /** @param node counted from 0, over all that were ever started on it */
  dataDirOf(node: number): string
  /** Kept on disk now. */
  bytes(): Promise<number>
  /** Deliveries still to be attempted; read while no service runs. */
  pending(): Promise<number>
  /** Existing deliveries, in any state. */
  deliveries(): Promise<number>
  /** CPU time of an external database, µs since its start. */
  cpuMicros(): number
  /** Bytes that the external database had written; all its changes are in its tables by then. */
  written(): Promise<number>
  /** Copies all of it to a new directory, while no service uses it. */
  copyTo(directory: string): Promise<void>
  remove(): Promise<void>
}

interface StoreOptions {
  /** Parent of the server's own directory. */
  readonly parent: string
  /** For the data directories of nodes. */
  readonly directory: string
  /** A library that the process which writes to the disk preloads. */
  readonly preload: string | null
  /** A copy to start from; `null`: it is empty. */
  readonly from: string | null
}

/** Opens its own store. PostgreSQL has more memory and log than by default, but its full durability. */
export function openBenchStore(name: StoreName, options: StoreOptions): Promise<BenchStore> {
  return name === 'sqlite' ? embedded(options) : beside(options)
}

const environmentWith = (preload: string | null): Environment =>
  preload === null ? {} : { LD_PRELOAD: preload }

async function embedded({ directory, preload, from }: StoreOptions): Promise<BenchStore> {
  const dataDir = path.join(directory, 'data')
  if (from !== null) await copyDirectory(from, dataDir)
  return {
    environment: environmentWith(preload),
    port: null,
    dataDirOf: () => dataDir,
    bytes: async () => directoryBytes(dataDir),
    pending: async () => countIn(dataDir, PENDING),
    deliveries: async () => countIn(dataDir),
    cpuMicros: () => 0,
    written: async () => 0,
    copyTo: (target) => copyDirectory(dataDir, target),
    remove: async () => {},
  }
}

/** @param where of the deliveries to count; all if omitted */
function countIn(dataDir: string, where = ''): number {
  const db = new Database(path.join(dataDir, 'posthorn.db'), { readonly: true })
  try {
    return db.prepare<[], { count: number }>(`${COUNT} FROM deliveries ${where}`).get()!.count
  } finally {
    db.close()
  }
}

async function countOn(server: PostgresServer, where = ''): Promise<number> {
  const [row] = await query(server.url(DATABASE), `${COUNT} FROM posthorn.deliveries ${where}`)
  return Number(row!.count)
}

async function beside({ directory, parent, preload, from }: StoreOptions): Promise<BenchStore> {
  const environment = environmentWith(preload)
  const server = await (from === null
    ? startEmpty(environment, parent)
    : startPostgresCopy(from, environment, parent))
  return {
    environment: { POSTHORN_DATABASE_URL: server.url(DATABASE) },
    port: server.port,
    dataDirOf: (node) => path.join(directory, `node-${node}`),
    bytes: () => databaseSize(server),
    pending: () => countOn(server, PENDING),
    deliveries: () => countOn(server),
    cpuMicros: () => cpuOfServer(server.pid),
    written: () => writtenUntilNow(server),
    copyTo: (target) => copyPostgres(server, DATABASE, target),
    remove: () => server.remove(),
  }
}

async function startEmpty(environment: Environment, parent: string): Promise<PostgresServer> {
  const settings = { shared_buffers: '512MB', min_wal_size: '1GB', max_wal_size: '4GB' }
  const server = await startPostgres({ settings, environment, parent })
  await server.createDatabase(DATABASE)
  await fillLog(server)
  return server
}

/**
 * Cycles through all log files that are kept, so that they are reused, as on a server that has been running
 * for a while. A new server creates each file when it needs it, and commits wait until 16 MB of zeros are
 * synced.
 */
async function fillLog(server: PostgresServer): Promise<void> {
  await server.query(`
    DO $$ BEGIN
      FOR file IN 1..${LOG_FILES} LOOP
        PERFORM pg_logical_emit_message(false, 'bench', ''), pg_switch_wal();
      END LOOP;
    END $$`)
  await server.query('CHECKPOINT')
}

/** Without a checkpoint only the log would be written within a few seconds, and the changed pages later. */
async function writtenUntilNow(server: PostgresServer): Promise<number> {
  await server.query('CHECKPOINT')
  return writtenByServer(server.pid)
}

async function databaseSize(server: PostgresServer): Promise<number> {
  const [row] = await server.query(`SELECT pg_database_size('${DATABASE}') AS bytes`)
  return Number(row!.bytes)
}
