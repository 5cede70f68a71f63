import { addToSheet } from '../../core/figures/sheet.ts'
import { startsOf, UNIT_MS } from '../../core/figures/units.ts'
import type { VerbParams, VerbResult } from '../areas.ts'
import type { DeltaRow } from '../rowMappers/figureDeltas.ts'
import {
  attemptsOf,
  FigureRanks,
  FigureSums,
  SHEETS_RANKED,
  type SheetRow,
} from '../rowMappers/figureReading.ts'
import {
  DELTAS_READ,
  FOLD,
  type Fold,
  firstIdOf,
  foldOf,
  isCutShort,
  type SheetChange,
  type SheetKey,
  sheetOf,
} from '../rowMappers/figureSheets.ts'
import { listAtOnce, type Queries, write } from './query.ts'
import { isOneOf, joinEach, numberList, records, sql, tableOf } from './sql.ts'
import { act, all, row, rows, run, type Work } from './work.ts'

const KEY = { unit: 'text', scope: 'text', at: 'bigint', sheet: 'bigint' } as const

export const figureSql = {
  step: sql`
    SELECT id, at, scope, data FROM (
      SELECT id, at, scope, data, sum(length(data)) OVER (ORDER BY id) - length(data) AS before
      FROM (SELECT * FROM figures_deltas WHERE id > 0 ORDER BY id LIMIT ${String(FOLD.rows)}) oldest) counted
    WHERE before < ${String(FOLD.bytes)}`,
  deltas: sql`
    SELECT id, at, scope, data FROM figures_deltas WHERE id > 0 ORDER BY id LIMIT ${String(DELTAS_READ)}`,
  workspacesOf: sql`
    SELECT w.id, w.workspace_id FROM ${tableOf('x', '$1', { id: 'bigint' })}
    ${joinEach('webhooks', 'w', 'w.id = x.id')}`,
  found: sql`
    SELECT f.unit, f.scope, f.at, f.sheet, f.data FROM ${tableOf('k', '$1', KEY)}
    ${joinEach('figures', 'f', 'f.unit = k.unit AND f.scope = k.scope AND f.at = k.at AND f.sheet = k.sheet')}`,
  write: sql`
    INSERT INTO figures (unit, scope, at, sheet, data)
    SELECT unit, scope, at, sheet, data FROM ${tableOf('k', '$1', { ...KEY, data: 'text' })} WHERE true
    ON CONFLICT (unit, scope, at, sheet) DO UPDATE SET data = excluded.data`,
  remove: sql`DELETE FROM figures_deltas WHERE id ${isOneOf('$1', 'bigint')}`,
  sheets: sql`
    SELECT f.at, f.sheet, f.data
    FROM ${tableOf('a', '$3', { at: 'bigint' })} CROSS JOIN ${tableOf('s', '$4', { sheet: 'bigint' })}
    ${joinEach('figures', 'f', 'f.unit = $1 AND f.scope = $2 AND f.at = a.at AND f.sheet = s.sheet')}`,
  ranked: sql`
    SELECT f.data FROM ${tableOf('a', '$3', { at: 'bigint' })}
    ${joinEach('figures', 'f', 'f.unit = $1 AND f.scope = $2 AND f.at = a.at AND f.sheet >= $4 AND f.sheet < $5')}`,
}

/** Ids have gaps, of a billion where a backup was put back. */
const nextIdSql = {
  webhook: sql`SELECT min(id) AS id FROM webhooks WHERE id >= $1`,
  workspace: sql`SELECT min(id) AS id FROM workspaces WHERE id >= $1`,
}

export const figureQueries: Queries<'foldFigures' | 'readFigures' | 'webhookHours' | 'rankFigures'> = {
  foldFigures: write(function* () {
    if (!(yield* act('tryAlone', 'figures'))) return false
    const deltas = yield* rows<DeltaRow>(figureSql.step)
    if (deltas.length === 0) return false
    const fold = foldOf(deltas)
    yield* addToSheets(fold.changes(yield* workspacesOf(fold)))
    yield* run(figureSql.remove, [numberList(deltas.map(({ id }) => id))])
    return isCutShort(deltas)
  }),
  readFigures: listAtOnce(read),
  webhookHours: listAtOnce(function* ({ webhookIds: ids, from, to }) {
    const figures = yield* read({ scope: 'webhook', ids, unit: 'hour', stepMs: UNIT_MS.hour, from, to })
    return figures.map(({ id, at, counts }) => ({ webhookId: id, at, ...attemptsOf(counts) }))
  }),
  rankFigures: listAtOnce(function* ({ scope, by, cover, from, limit }) {
    const ranks = new FigureRanks()
    const to = from + SHEETS_RANKED
    const [next, parts] = yield* all(
      row<{ readonly id: number | null }>(nextIdSql[scope], [firstIdOf(to)]),
      all(
        ...cover.map(({ unit, starts }) =>
          rows<{ readonly data: string }>(figureSql.ranked, [
            unit,
            scope,
            records(starts.map((at) => ({ at }))),
            from,
            to,
          ]),
        ),
      ),
    )
    for (const { data } of parts.flat()) ranks.addSheet(data)
    const nextId = next?.id ?? null
    return { ranked: ranks.first({ by, limit }), next: nextId === null ? null : sheetOf(nextId) }
  }),
}

function* read(reading: VerbParams<'readFigures'>): Work<VerbResult<'readFigures'>> {
  const { scope, unit, from, to } = reading
  const sums = new FigureSums(reading)
  const starts = records(startsOf(from, to, unit).map((at) => ({ at })))
  const [sheets, deltas] = yield* all(
    rows<SheetRow>(figureSql.sheets, [unit, scope, starts, records(sums.sheets.map((sheet) => ({ sheet })))]),
    rows<DeltaRow>(figureSql.deltas),
  )
  for (const sheet of sheets) sums.addSheet(sheet)
  const fold = foldOf(deltas)
  sums.addFold(fold, yield* workspacesOf(fold))
  return sums.figures
}

interface Owner {
  readonly id: number
  readonly workspace_id: number
}

function* workspacesOf({ webhookIds }: Fold): Work<Map<number, number>> {
  if (webhookIds.size === 0) return new Map()
  const owners = yield* rows<Owner>(figureSql.workspacesOf, [records([...webhookIds].map((id) => ({ id })))])
  return new Map(owners.map((owner) => [owner.id, owner.workspace_id]))
}

/** No other call writes sheets meanwhile. */
function* addToSheets(changes: readonly SheetChange[]): Work<void> {
  const keys = changes.map(({ unit, scope, at, sheet }) => ({ unit, scope, at, sheet }))
  const known = yield* rows<SheetKey & { readonly data: string }>(figureSql.found, [records(keys)])
  const found = new Map(known.map((sheet) => [nameOf(sheet), sheet.data]))
  const sheets = changes.map(({ counts }, position) => {
    const key = keys[position]!
    return { ...key, data: addToSheet(found.get(nameOf(key)) ?? '', counts) }
  })
  yield* run(figureSql.write, [records(sheets)])
}

const nameOf = ({ unit, scope, at, sheet }: SheetKey): string => `${unit} ${scope} ${at} ${sheet}`
