import { cpSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { wholeNumber } from '../../support/random.ts'
import type { FaultKind } from '../kinds/kind.ts'
import { limitFileSize, SmallDisk } from './disk.ts'
import type { StoreUnderTest } from './store.ts'

const FAILS_MS = { min: 100, max: 1_500 }
const WRITABLE_BYTES = 8_192

function diskFull(disk: SmallDisk): FaultKind {
  return {
    name: 'disk-full',
    weight: 3,
    sparesProcesses: true,
    draw(random) {
      const ms = wholeNumber(random, FAILS_MS.min, FAILS_MS.max)
      return {
        text: `the disk is full for ${ms} ms`,
        async inject({ nodes, journal }) {
          const end = journal.silence(
            nodes.map(({ name }) => name),
            'disk full',
          )
          disk.fill()
          await sleep(ms)
          disk.makeRoom()
          end()
          await nodes[0]!.up()
        },
      }
    },
  }
}

/** Every write beyond the first pages of a file is an I/O error. */
const writesFail: FaultKind = {
  name: 'writes-fail',
  weight: 2,
  sparesProcesses: true,
  draw(random) {
    const ms = wholeNumber(random, FAILS_MS.min, FAILS_MS.max)
    return {
      text: `writes fail for ${ms} ms`,
      inject({ nodes: [node], journal }) {
        // The limit applies to one process, so no other process may replace it in the meantime.
        return node!.turns.take(async () => {
          const end = journal.silence([node!.name], 'writes fail')
          limitFileSize(node!.pid, WRITABLE_BYTES)
          await sleep(ms)
          limitFileSize(node!.pid, null)
          end()
        })
      },
    }
  },
}

/** @param directory of the store's files */
export function sqliteStore(directory: string): StoreUnderTest {
  const kinds: FaultKind[] = []
  const untried: string[] = []
  let disk: SmallDisk | null = null
  try {
    disk = new SmallDisk(directory)
    kinds.push(diskFull(disk))
  } catch (error) {
    untried.push(`disk-full: ${firstLine(error)}`)
  }
  try {
    limitFileSize(process.pid, null)
    kinds.push(writesFail)
  } catch (error) {
    untried.push(`writes-fail: ${firstLine(error)}`)
  }
  const dataDir = path.join(directory, 'data')
  return {
    shared: false,
    kinds,
    untried,
    dataDirOf: () => dataDir,
    settingsOf: () => ({}),
    async leftovers() {
      const db = new Database(path.join(dataDir, 'posthorn.db'), { readonly: true })
      try {
        const count = (sql: string) => db.prepare<[], { count: number }>(sql).get()!.count
        const nodes = count('SELECT count(*) AS count FROM nodes')
        const held = count('SELECT count(*) AS count FROM deliveries WHERE lease IS NOT NULL')
        return nodes === 1 && held === 0 ? null : JSON.stringify({ nodes, held })
      } finally {
        db.close()
      }
    },
    async stop(keepIn) {
      if (keepIn !== null) cpSync(dataDir, path.join(keepIn, 'data'), { recursive: true })
      disk?.unmount()
    },
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!
}
