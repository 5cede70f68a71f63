import path from 'node:path'
import { systemClock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import { breakingSteps, type MigrationPlan, type PlannedStep } from '../storage/migrations/plan.ts'
import { planDatabaseMigration } from '../storage/postgres/plan.ts'
import { placeOf } from '../storage/postgres/servers.ts'
import { lookForStore, refuseLoneLog } from '../storage/sqlite/dataDirectory.ts'
import { planEmbeddedMigration } from '../storage/sqlite/plan.ts'
import { StoreOpenError } from '../storage/storage.ts'
import { KEY_FILES } from './generatedKeys.ts'
import type { Config } from './settings.ts'
import { whyNotNewHere, whyNotNewThere } from './whyNotNew.ts'
import { countOf, durationOf, numberOf } from './words.ts'

/** The exit codes of `posthorn migrate --plan`; 1 is any error. */
const EXIT = { upToDate: 0, rolling: 2, needsStop: 3 } as const

/**
 * A migration of 300,000 deliveries took 3 times as long as reading them on PostgreSQL, and 8 to 10 times on SQLite, including the opening
 * of the store.
 */
const SAFETY = 10
/** For work that does not depend on rows. */
const LEAST_MS = SECOND_MS

type StoreKind = 'embedded' | 'database'

/**
 * Prints what `posthorn migrate`, or the start of a node, would do to the store. Changes nothing.
 * @returns the exit code
 * @throws StoreOpenError with one line for the operator when the migration would be rejected, except because of running nodes
 */
export async function migratePlan(config: Config): Promise<number> {
  const { databaseUrl, dataDir } = config
  const kind: StoreKind = databaseUrl === null ? 'embedded' : 'database'
  const plan = databaseUrl === null ? await planHere(config) : await planThere(config, databaseUrl)
  const place = databaseUrl === null ? path.resolve(dataDir) : placeOf(databaseUrl)
  process.stdout.write(`${linesOf(plan, kind, place).join('\n')}\n`)
  return exitCodeOf(plan, kind)
}

function planHere({ dataDir, newStore }: Config): Promise<MigrationPlan> {
  refuseLoneLog(dataDir)
  const found = lookForStore(dataDir, KEY_FILES)
  const refusal = newStore ? null : whyNotNewHere(dataDir, found)
  if (refusal !== null) throw new StoreOpenError(refusal)
  return planEmbeddedMigration(found.state === 'store' ? dataDir : null, systemClock)
}

async function planThere({ dataDir, newStore }: Config, url: string): Promise<MigrationPlan> {
  const plan = await planDatabaseMigration(url, systemClock)
  const refusal = plan.from > 0 || newStore ? null : whyNotNewThere(dataDir, url)
  if (refusal !== null) throw new StoreOpenError(refusal)
  return plan
}

function exitCodeOf({ from, steps }: MigrationPlan, kind: StoreKind): number {
  if (steps.length === 0) return EXIT.upToDate
  return from === 0 || (kind === 'database' && breaking(steps, from).length === 0)
    ? EXIT.rolling
    : EXIT.needsStop
}

const breaking = (steps: readonly PlannedStep[], from: number) =>
  breakingSteps(
    steps.map(({ migration }) => migration),
    from,
  )

function linesOf(plan: MigrationPlan, kind: StoreKind, place: string): readonly string[] {
  const { from, to, steps } = plan
  if (from === 0) return [`There is no store in ${place} yet. The first start creates one.`]
  const head = `The store in ${place} has schema version ${from}; this release uses ${to}.`
  if (steps.length === 0) return [head, 'Nothing to do.']
  return [
    `${head} ${countOf(steps.length, 'step')} to run:`,
    '',
    ...steps.map(stepLine),
    '',
    timeLine(steps, kind),
    ...(kind === 'database' ? nodeLines(plan) : []),
    backLine(plan, kind),
  ]
}

function stepLine({ migration, rows }: PlannedStep): string {
  const { version, name, does } = migration
  const counted = [...rows].map(([table, count]) => `${numberOf(count)} in ${table}`)
  const through = counted.length === 0 ? '' : ` (rows: ${counted.join(', ')})`
  return `  ${String(version).padStart(3)}  ${name.padEnd(14)} ${does}${through}`
}

function timeLine(steps: readonly PlannedStep[], kind: StoreKind): string {
  const rows = sum(steps.flatMap(({ rows }) => [...rows.values()]))
  const time = durationOf(LEAST_MS + SAFETY * Math.floor(sum(steps.map(({ readMs }) => readMs))))
  const locked =
    kind === 'embedded'
      ? 'The service is down for that long.'
      : 'It is one transaction that locks its tables for that long: requests wait, and publishing answers 503 after 6 s.'
  return `Time:    ${countOf(rows, 'row')} to process, up to about ${time}. ${locked}`
}

function nodeLines({ from, steps, liveNodes }: MigrationPlan): readonly string[] {
  const running = liveNodes === 1 ? '1 node is running' : `${numberOf(liveNodes)} nodes are running`
  const why = breaking(steps, from)
  if (why.length === 0) return [`Nodes:   ${running}. Older nodes keep working: upgrade one node at a time.`]
  return [
    `Nodes:   ${running}. Older nodes cannot work with the new schema. Stop all of them first: a new node does not start while one of them runs.`,
    ...why.flatMap(({ version, whyBreaking }) =>
      whyBreaking === null ? [] : [`         After step ${version}, ${whyBreaking}.`],
    ),
  ]
}

function backLine({ from, steps }: MigrationPlan, kind: StoreKind): string {
  if (kind === 'embedded')
    return 'Back:    restore a backup. Later changes are then lost. Create a backup now: posthorn backup <directory>'
  return breaking(steps, from).length === 0
    ? 'Back:    start the previous release again. No restore is needed.'
    : 'Back:    restore a dump. Later changes are then lost. Create a dump now: pg_dump --schema=posthorn'
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
