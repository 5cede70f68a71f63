import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type PostgresServer, startPostgres } from '../../postgres/server.ts'
import type { Settings as Environment } from '../../support/posthorn.ts'
import { bytesWritten, cpuMicroseconds, directoryBytes } from '../measure/proc.ts'
import { copyDirectory, copyPostgres, startPostgresCopy } from './copies.ts'

export const STORES = ['sqlite', 'postgres'] as const
export type StoreName = (typeof STORES)[number]

/** Of 16 MB each. */
const LOG_FILES = 64
/** Of the service, in PostgreSQL. */
const DATABASE = 'bench'

/** What lies under the service in one round. */
export interface BenchStore {
  /** For the service, to find it. */
  readonly environment: Environment
  /** Of the database beside the service, if there is one. */
  readonly port: number | null
  /** @param node counted from 0, over all that were ever started on it */
  dataDirOf(node: number): string
  /** Kept on disk now. */
  bytes(): Promise<number>
  /** CPU time of a database beside the service, µs since its start. */
  cpuMicros(): number
  /** Bytes that the database beside the service had written. */
  written(): number
  /** Copies all of it, with no service on it, to a directory that is not there yet. */
  copyTo(directory: string): Promise<void>
  remove(): Promise<void>
}

interface StoreOptions {
  /** For the data directories of nodes. */
  readonly directory: string
  /** A library that the process which writes to the disk loads first. */
  readonly preload: string | null
  /** A copy that it begins as; `null`: it is empty. */
  readonly from: string | null
}

/** A store of its own. PostgreSQL has its own defaults but for room in memory: durability is not for sale. */
export function openBenchStore(
  name: StoreName,
  { directory, preload, from }: StoreOptions,
): Promise<BenchStore> {
  const environment: Environment = preload === null ? {} : { LD_PRELOAD: preload }
  return name === 'sqlite' ? embedded(directory, environment, from) : beside(directory, environment, from)
}

async function embedded(
  directory: string,
  environment: Environment,
  from: string | null,
): Promise<BenchStore> {
  const dataDir = path.join(directory, 'data')
  if (from !== null) await copyDirectory(from, dataDir)
  return {
    environment,
    port: null,
    dataDirOf: () => dataDir,
    bytes: async () => directoryBytes(dataDir),
    cpuMicros: () => 0,
    written: () => 0,
    copyTo: (target) => copyDirectory(dataDir, target),
    remove: async () => {},
  }
}

async function beside(directory: string, environment: Environment, from: string | null): Promise<BenchStore> {
  const server = await (from === null ? startEmpty(environment) : startPostgresCopy(from, environment))
  return {
    environment: { POSTHORN_DATABASE_URL: server.url(DATABASE) },
    port: server.port,
    dataDirOf: (node) => path.join(directory, `node-${node}`),
    bytes: () => databaseSize(server),
    cpuMicros: () => sumOverProcesses(server.pid, cpuMicroseconds),
    written: () => sumOverProcesses(server.pid, bytesWritten),
    copyTo: (target) => copyPostgres(server, DATABASE, target),
    remove: () => server.remove(),
  }
}

async function startEmpty(environment: Environment): Promise<PostgresServer> {
  const settings = { shared_buffers: '512MB', min_wal_size: '1GB', max_wal_size: '4GB' }
  const server = await startPostgres({ settings, environment })
  await server.createDatabase(DATABASE)
  await fillLog(server)
  return server
}

/**
 * Goes through as many files of the log as are kept, so that they are there to be written anew, as on any server that has
 * been running for a while. A new server makes each when it comes to it, and commits wait until 16 MB of zeros are synced.
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

async function databaseSize(server: PostgresServer): Promise<number> {
  const [row] = await server.query(`SELECT pg_database_size('${DATABASE}') AS bytes`)
  return Number(row!.bytes)
}

/** Over a server's main process and those it has now; backends of pooled connections live as long as a round. */
function sumOverProcesses(mainPid: number, read: (pid: number) => number): number {
  return [mainPid, ...childrenOf(mainPid)].reduce((sum, pid) => sum + read(pid), 0)
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === parent)
    .map(Number)
}

function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    // It ended while the list was read.
    return null
  }
}
