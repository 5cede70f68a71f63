import { systemClock } from '../../core/clock.ts'
import { type MoveSource, viewMoveSource } from '../../storage/move/source.ts'
import { MoveTarget } from '../../storage/move/target.ts'
import { TargetConnection } from '../../storage/move/targetConnection.ts'
import { SCHEMA } from '../../storage/postgres/open.ts'
import { placeOf } from '../../storage/postgres/servers.ts'
import { whoHolds } from '../../storage/sqlite/directoryLock.ts'
import { StoreOpenError } from '../../storage/storage.ts'
import { ensureMasterKeys } from '../generatedKeys.ts'
import { checkKept } from '../masterKeys.ts'
import type { Config } from '../settings.ts'
import { bytesOf, durationOf, numberOf } from '../words.ts'
import { toOperatorError } from './failures.ts'
import { earlierMove, type Mover, sourceObstacles, targetObstacles } from './obstacles.ts'

/** Measured on a machine with two cores and the database on it. */
const ROWS_PER_SECOND = 20_000

/**
 * Reports what a move would do and what prevents it; in that case the exit code is 1. Changes nothing.
 * @throws StoreOpenError, SettingError with one line for the operator
 */
export async function dryRun(config: Config, dataDir: string, url: string): Promise<void> {
  const opened = viewMoveSource(dataDir)
  try {
    const masterKeys = ensureMasterKeys(config, true).value
    const keyCheck = checkKept(masterKeys, opened.source.keyFacts())
    const mover = { dataDir, source: opened.source, keyCheck, place: placeOf(url) }
    const held = whoHolds(dataDir)
    const obstacles = sourceObstacles(mover, masterKeys)
    if (opened.source.isUpToDate()) {
      obstacles.push(...(await obstaclesThere(mover, url)))
      say(`The move would copy from ${dataDir} to ${mover.place}:\n\n${table(opened.source)}\n`)
    }
    // Stopping the service is the first step of every move, not an obstacle.
    if (held !== null) say(`Do first:\n  - stop the service: ${held}`)
    if (obstacles.length === 0) say(`Nothing ${held === null ? '' : 'else '}prevents the move.`)
    else {
      say(`Fix first:\n${obstacles.map((obstacle) => `  - ${obstacle}`).join('\n')}`)
      process.exitCode = 1
    }
  } finally {
    opened.close()
  }
}

async function obstaclesThere(mover: Mover, url: string): Promise<readonly string[]> {
  try {
    const target = new MoveTarget(await TargetConnection.open(url, SCHEMA, systemClock))
    try {
      const facts = await target.facts()
      if (earlierMove(mover, facts)?.finished === true)
        return [`the store was already moved to ${mover.place}`]
      return targetObstacles(mover, facts)
    } finally {
      await target.close()
    }
  } catch (error) {
    const shown = toOperatorError(mover.dataDir, error)
    if (shown instanceof StoreOpenError) return [shown.message]
    throw error
  }
}

function table(source: MoveSource): string {
  const counts = source.count()
  const sizes = source.sizes()
  const lines = [...counts].map(([name, rows]) => line(name, rows, sizes.get(name) ?? 0))
  const rows = sum(counts.values())
  const bytes = sum([...counts.keys()].map((name) => sizes.get(name) ?? 0))
  const estimate = durationOf((rows / ROWS_PER_SECOND) * 1000)
  return `${lines.join('\n')}\n${line('all', rows, bytes)}, about ${estimate}`
}

const line = (name: string, rows: number, bytes: number): string =>
  `  ${name.padEnd(18)}${numberOf(rows).padStart(15)} ${rows === 1 ? 'row ' : 'rows'}${bytesOf(bytes).padStart(12)}`

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0)

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
