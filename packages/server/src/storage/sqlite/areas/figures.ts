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
  sheetOf,
} from '../../records/figureSheets.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

export const figureSql = {
  step: `
    SELECT id, at, scope, data FROM (
      SELECT id, at, scope, data, sum(length(data)) OVER (ORDER BY id) - length(data) AS before
      FROM (SELECT * FROM figures_deltas ORDER BY id LIMIT ${FOLD.rows}))
    WHERE before < ${FOLD.bytes}`,
  deltas: `SELECT id, at, scope, data FROM figures_deltas ORDER BY id LIMIT ${DELTAS_READ}`,
  workspaceOf: 'SELECT workspace_id FROM webhooks WHERE id = ?',
  sheet: 'SELECT data FROM figures WHERE unit = ? AND scope = ? AND at = ? AND sheet = ?',
  write: `
    INSERT INTO figures (unit, scope, at, sheet, data) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (unit, scope, at, sheet) DO UPDATE SET data = excluded.data`,
  remove: 'DELETE FROM figures_deltas WHERE id = ?',
  sheets: `
    SELECT at, sheet, data FROM figures
    WHERE unit = ? AND scope = ? AND at IN (SELECT value FROM json_each(?))
      AND sheet IN (SELECT value FROM json_each(?))`,
  ranked: `
    SELECT data FROM figures
    WHERE unit = ? AND scope = ? AND at IN (SELECT value FROM json_each(?)) AND sheet >= ? AND sheet < ?`,
}

/** Ids have gaps, of a billion where a backup was put back. */
const nextIdSql = {
  webhook: 'SELECT min(id) FROM webhooks WHERE id >= ?',
  workspace: 'SELECT min(id) FROM workspaces WHERE id >= ?',
}

type FigureVerbs = Pick<VerbTable, 'foldFigures' | 'readFigures' | 'webhookHours' | 'rankFigures'>

export function figureVerbs({ db }: Store): FigureVerbs {
  const step = db.prepare<[], DeltaRow>(figureSql.step)
  const deltas = db.prepare<[], DeltaRow>(figureSql.deltas)
  const workspace = db.prepare<[number], number>(figureSql.workspaceOf).pluck()
  const sheet = db.prepare<[string, string, number, number], string>(figureSql.sheet).pluck()
  const write = db.prepare<[string, string, number, number, string]>(figureSql.write)
  const remove = db.prepare<[number]>(figureSql.remove)
  const sheets = db.prepare<[string, string, string, string], SheetRow>(figureSql.sheets)
  const ranked = db.prepare<[string, string, string, number, number], string>(figureSql.ranked).pluck()
  const nextIds = {
    webhook: db.prepare<[number], number | null>(nextIdSql.webhook).pluck(),
    workspace: db.prepare<[number], number | null>(nextIdSql.workspace).pluck(),
  }

  function workspacesOf({ webhookIds }: Fold): Map<number, number> {
    const found = new Map<number, number>()
    for (const id of webhookIds) {
      const workspaceId = workspace.get(id)
      if (workspaceId !== undefined) found.set(id, workspaceId)
    }
    return found
  }

  function read(reading: VerbParams<'readFigures'>) {
    const { scope, unit, from, to } = reading
    const sums = new FigureSums(reading)
    const starts = JSON.stringify(startsOf(from, to, unit))
    for (const row of sheets.iterate(unit, scope, starts, JSON.stringify(sums.sheets))) sums.addSheet(row)
    const fold = foldOf(deltas.all())
    sums.addFold(fold, workspacesOf(fold))
    return sums.figures
  }

  return {
    foldFigures() {
      const rows = step.all()
      const fold = foldOf(rows)
      for (const { unit, scope, at, sheet: number, counts } of fold.changes(workspacesOf(fold))) {
        const data = sheet.get(unit, scope, at, number) ?? ''
        write.run(unit, scope, at, number, addToSheet(data, counts))
      }
      for (const { id } of rows) remove.run(id)
      return isCutShort(rows)
    },
    readFigures: read,
    webhookHours({ webhookIds: ids, from, to }) {
      const figures = read({ scope: 'webhook', ids, unit: 'hour', stepMs: UNIT_MS.hour, from, to })
      return figures.map(({ id, at, counts }) => ({ webhookId: id, at, ...attemptsOf(counts) }))
    },
    rankFigures({ scope, by, cover, from, limit }) {
      const ranks = new FigureRanks()
      const to = from + SHEETS_RANKED
      for (const { unit, starts } of cover)
        for (const data of ranked.iterate(unit, scope, JSON.stringify(starts), from, to)) ranks.addSheet(data)
      const nextId = nextIds[scope].get(firstIdOf(to)) ?? null
      return { ranked: ranks.first({ by, limit }), next: nextId === null ? null : sheetOf(nextId) }
    },
  }
}
