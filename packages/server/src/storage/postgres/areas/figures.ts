import { addToSheet } from '../../../core/figures/sheet.ts'
import { startsOf, UNIT_MS } from '../../../core/figures/units.ts'
import type { DeltaRow } from '../../records/figureDeltas.ts'
import {
  attemptsOf,
  FigureRanks,
  FigureSums,
  SHEETS_RANKED,
  type SheetRow,
} from '../../records/figureReading.ts'
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
} from '../../records/figureSheets.ts'
import { numbers, packTexts, texts } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { snapshot, type VerbParams, type VerbResult, type VerbTable, writes } from '../verb.ts'

export const figureSql = {
  step: `
    SELECT id, at, scope, data FROM (
      SELECT id, at, scope, data, sum(length(data)) OVER (ORDER BY id) - length(data) AS before
      FROM (SELECT * FROM figures_deltas WHERE id > 0 ORDER BY id LIMIT ${FOLD.rows}) first) counted
    WHERE before < ${FOLD.bytes}`,
  deltas: `SELECT id, at, scope, data FROM figures_deltas WHERE id > 0 ORDER BY id LIMIT ${DELTAS_READ}`,
  workspacesOf: `
    SELECT w.id, w.workspace_id FROM unnest($1::bigint[]) x
    CROSS JOIN LATERAL (SELECT id, workspace_id FROM webhooks WHERE id = x OFFSET 0) w`,
  found: `
    SELECT f.unit, f.scope, f.at, f.sheet, f.data
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS k (unit, scope, at, sheet)
    CROSS JOIN LATERAL (
      SELECT * FROM figures WHERE unit = k.unit AND scope = k.scope AND at = k.at AND sheet = k.sheet OFFSET 0) f`,
  write: `
    INSERT INTO figures (unit, scope, at, sheet, data)
    SELECT unit, scope, at, sheet, convert_from(substring($5::bytea FROM data_at FOR data_length), 'UTF8')
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $6::int[], $7::int[])
      AS k (unit, scope, at, sheet, data_at, data_length)
    ON CONFLICT (unit, scope, at, sheet) DO UPDATE SET data = excluded.data`,
  remove: 'DELETE FROM figures_deltas WHERE id = ANY ($1::bigint[])',
  sheets: `
    SELECT f.at, f.sheet, f.data FROM unnest($3::bigint[]) a CROSS JOIN unnest($4::bigint[]) s
    CROSS JOIN LATERAL (
      SELECT at, sheet, data FROM figures WHERE unit = $1 AND scope = $2 AND at = a AND sheet = s OFFSET 0) f`,
  ranked: `
    SELECT f.data FROM unnest($3::bigint[]) a
    CROSS JOIN LATERAL (
      SELECT data FROM figures WHERE unit = $1 AND scope = $2 AND at = a AND sheet >= $4 AND sheet < $5 OFFSET 0) f`,
}

/** Ids have gaps, of a billion where a backup was put back. */
const nextIdSql = {
  webhook: 'SELECT min(id) AS id FROM webhooks WHERE id >= $1',
  workspace: 'SELECT min(id) AS id FROM workspaces WHERE id >= $1',
}

type FigureVerbs = Pick<VerbTable, 'foldFigures' | 'readFigures' | 'webhookHours' | 'rankFigures'>

export function figureVerbs({ locks }: Store): FigureVerbs {
  return {
    foldFigures: writes(async (tx) => {
      if (!(await locks.tryAlone(tx, 'figures'))) return false
      const rows = await tx.rows<DeltaRow>(figureSql.step)
      if (rows.length === 0) return false
      const fold = foldOf(rows)
      await addToSheets(tx, fold.changes(await workspacesOf(tx, fold)))
      await tx.run(figureSql.remove, [numbers(rows.map(({ id }) => id))])
      return isCutShort(rows)
    }),
    readFigures: snapshot(read),
    webhookHours: snapshot(async (tx, { webhookIds: ids, from, to }) => {
      const figures = await read(tx, { scope: 'webhook', ids, unit: 'hour', stepMs: UNIT_MS.hour, from, to })
      return figures.map(({ id, at, counts }) => ({ webhookId: id, at, ...attemptsOf(counts) }))
    }),
    rankFigures: snapshot(async (tx, { scope, by, cover, from, limit }) => {
      const ranks = new FigureRanks()
      const to = from + SHEETS_RANKED
      const [next, ...parts] = await Promise.all([
        tx.row<{ id: number | null }>(nextIdSql[scope], [firstIdOf(to)]),
        ...cover.map(({ unit, starts }) =>
          tx.rows<{ data: string }>(figureSql.ranked, [unit, scope, numbers(starts), from, to]),
        ),
      ])
      for (const { data } of parts.flat()) ranks.addSheet(data)
      const nextId = next?.id ?? null
      return { ranked: ranks.first({ by, limit }), next: nextId === null ? null : sheetOf(nextId) }
    }),
  }
}

async function read(tx: Tx, reading: VerbParams<'readFigures'>): Promise<VerbResult<'readFigures'>> {
  const { scope, unit, from, to } = reading
  const sums = new FigureSums(reading)
  const starts = numbers(startsOf(from, to, unit))
  const [sheets, deltas] = await Promise.all([
    tx.rows<SheetRow>(figureSql.sheets, [unit, scope, starts, numbers(sums.sheets)]),
    tx.rows<DeltaRow>(figureSql.deltas),
  ])
  for (const sheet of sheets) sums.addSheet(sheet)
  const fold = foldOf(deltas)
  sums.addFold(fold, await workspacesOf(tx, fold))
  return sums.figures
}

async function workspacesOf(tx: Tx, { webhookIds }: Fold): Promise<Map<number, number>> {
  if (webhookIds.size === 0) return new Map()
  const rows = await tx.rows<{ id: number; workspace_id: number }>(figureSql.workspacesOf, [
    numbers(webhookIds),
  ])
  return new Map(rows.map((row) => [row.id, row.workspace_id]))
}

/** Nobody else writes sheets meanwhile. */
async function addToSheets(tx: Tx, changes: readonly SheetChange[]): Promise<void> {
  const keys = [
    texts(changes.map(({ unit }) => unit)),
    texts(changes.map(({ scope }) => scope)),
    numbers(changes.map(({ at }) => at)),
    numbers(changes.map(({ sheet }) => sheet)),
  ]
  const rows = await tx.rows<SheetKey & { readonly data: string }>(figureSql.found, keys)
  const found = new Map(rows.map((row) => [nameOf(row), row.data]))
  const sheets = changes.map((change) => addToSheet(found.get(nameOf(change)) ?? '', change.counts))
  const { bytes, offsets, lengths } = packTexts(sheets)
  await tx.run(figureSql.write, [...keys, bytes, offsets, lengths])
}

const nameOf = ({ unit, scope, at, sheet }: SheetKey): string => `${unit} ${scope} ${at} ${sheet}`
