import { readdirSync, readFileSync } from 'node:fs'
import { type PostgresServer, startPostgres } from '../postgres/server.ts'
import type { Settings } from '../support/posthorn.ts'
import { bytesWritten, cpuMicroseconds, directoryBytes } from './proc.ts'

export const STORES = ['sqlite', 'postgres'] as const
export type StoreName = (typeof STORES)[number]

/** What lies under the service in one round. */
export interface BenchStore {
  readonly settings: Settings
  /** Of the database beside the service, if there is one. */
  readonly port: number | null
  /** Kept on disk now. */
  bytes(): Promise<number>
  /** CPU time of a database beside the service, µs since its start. */
  cpuMicros(): number
  /** Bytes that the database beside the service had written. */
  written(): number
  remove(): Promise<void>
}

/** A fresh store. PostgreSQL has its own defaults but for room in memory: durability is not for sale. */
export async function openBenchStore(name: StoreName, dataDir: string): Promise<BenchStore> {
  if (name === 'sqlite') {
    return {
      settings: {},
      port: null,
      bytes: async () => directoryBytes(dataDir),
      cpuMicros: () => 0,
      written: () => 0,
      remove: async () => {},
    }
  }
  const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } })
  const url = await server.createDatabase('bench')
  return {
    settings: { POSTHORN_DATABASE_URL: url },
    port: server.port,
    bytes: () => databaseSize(server),
    cpuMicros: () => sumOverProcesses(server.pid, cpuMicroseconds),
    written: () => sumOverProcesses(server.pid, bytesWritten),
    remove: () => server.remove(),
  }
}

async function databaseSize(server: PostgresServer): Promise<number> {
  const [row] = await server.query(`SELECT pg_database_size('bench') AS bytes`)
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
