import path from 'node:path'
import { systemClock } from '../core/clock.ts'
import { openMoveSource } from '../storage/move/source.ts'
import { MoveTarget } from '../storage/move/target.ts'
import { TargetConnection } from '../storage/move/targetConnection.ts'
import { SCHEMA } from '../storage/postgres/open.ts'
import { placeOf } from '../storage/postgres/servers.ts'
import { adviseIfInUse } from './directoryInUse.ts'
import { ensureMasterKeys } from './generatedKeys.ts'
import { checkKept } from './masterKeys.ts'
import { dryRun } from './move/dryRun.ts'
import { toOperatorError } from './move/failures.ts'
import { type Mover, sourceObstacles } from './move/obstacles.ts'
import { Progress } from './move/progress.ts'
import { refuse, runMove } from './move/run.ts'
import { type Config, SettingError } from './settings.ts'
import { durationOf, numberOf } from './words.ts'

export interface MoveOptions {
  /** Only reports what would be done. */
  readonly dryRun?: boolean
  /** Discards the rows that an earlier run copied. */
  readonly startOver?: boolean
}

/**
 * Moves the embedded store to PostgreSQL. If it is killed, the next run continues.
 * @throws StoreOpenError, SettingError with one line for the operator
 */
export async function move(config: Config, options: MoveOptions): Promise<void> {
  const dataDir = path.resolve(config.dataDir)
  const { databaseUrl: url } = config
  if (url === null)
    throw new SettingError('POSTHORN_DATABASE_URL: set the URL of the database to move the store to')
  if (options.dryRun === true) return dryRun(config, dataDir, url)
  const opened = openSource(dataDir)
  try {
    const masterKeys = ensureMasterKeys(config, true).value
    const keyCheck = checkKept(masterKeys, opened.source.keyFacts())
    const mover: Mover = { dataDir, source: opened.source, keyCheck, place: placeOf(url) }
    refuse(sourceObstacles(mover, masterKeys))
    await moveTo(url, mover, options.startOver === true)
  } catch (error) {
    throw toOperatorError(dataDir, error)
  } finally {
    opened.close()
  }
}

function openSource(dataDir: string): ReturnType<typeof openMoveSource> {
  try {
    return openMoveSource(dataDir, systemClock.now())
  } catch (error) {
    throw adviseIfInUse(dataDir, error)
  }
}

async function moveTo(url: string, mover: Mover, startOver: boolean): Promise<void> {
  const { dataDir, place } = mover
  const target = new MoveTarget(await TargetConnection.open(url, SCHEMA, systemClock))
  try {
    const startedAt = systemClock.monotonic()
    const progress = new Progress(process.stderr, () => systemClock.monotonic())
    const rows = await runMove({ mover, target, startOver, progress, clock: systemClock })
    const took = durationOf(systemClock.monotonic() - startedAt)
    say(
      rows === null
        ? `The store in ${dataDir} has already been moved to ${place}.`
        : `Moved ${numberOf(rows)} rows from ${dataDir} to ${place} and compared them, in ${took}.`,
    )
    say('Set POSTHORN_DATABASE_URL to serve the store there; the embedded store can no longer be served.')
  } finally {
    await target.close()
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
