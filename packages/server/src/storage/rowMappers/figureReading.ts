import { EVENTS_PLACE, OUTCOMES, placeOf } from '../../core/figures/places.ts'
import { eachLine, readLine } from '../../core/figures/sheet.ts'
import { addTally, type ReadonlyTally, readCounts, type Tally } from '../../core/figures/tally.ts'
import type { VerbParams } from '../areas.ts'
import type { Figure, RankedFigure } from '../storage.ts'
import { type Fold, sheetOf } from './figureSheets.ts'

type Reading = VerbParams<'readFigures'>
type Ranking = VerbParams<'rankFigures'>

export interface SheetRow {
  readonly at: number
  readonly sheet: number
  readonly data: string
}

/** Sums up what a reading asks for. */
export class FigureSums {
  readonly #reading: Reading
  readonly #idsOfSheet = new Map<number, number[]>()
  readonly #figures = new Map<string, { readonly id: number; readonly at: number; readonly counts: Tally }>()

  constructor(reading: Reading) {
    this.#reading = reading
    for (const id of reading.ids) {
      const sheet = sheetOf(id)
      const ids = this.#idsOfSheet.get(sheet)
      if (ids === undefined) this.#idsOfSheet.set(sheet, [id])
      else ids.push(id)
    }
  }

  get sheets(): readonly number[] {
    return [...this.#idsOfSheet.keys()]
  }

  addSheet({ at, sheet, data }: SheetRow): void {
    for (const id of this.#idsOfSheet.get(sheet)!) {
      const counts: Tally = new Map()
      readLine(counts, data, id)
      this.#add(id, at, counts)
    }
  }

  /** What is not in sheets yet. */
  addFold(fold: Fold, workspaceOf: ReadonlyMap<number, number>): void {
    const { scope, ids, from, to } = this.#reading
    for (const id of ids)
      for (const [at, text] of fold.countsOf(scope, id, workspaceOf)) {
        if (at < from || at >= to) continue
        const counts: Tally = new Map()
        readCounts(counts, text)
        this.#add(id, at, counts)
      }
  }

  /** By id and time. */
  get figures(): readonly Figure[] {
    return [...this.#figures.values()].sort((one, other) => one.id - other.id || one.at - other.at)
  }

  #add(id: number, time: number, counts: ReadonlyTally): void {
    if (counts.size === 0) return
    const { from, stepMs } = this.#reading
    const at = from + Math.floor((time - from) / stepMs) * stepMs
    const name = `${id} ${at}`
    const figure = this.#figures.get(name)
    if (figure === undefined) this.#figures.set(name, { id, at, counts: new Map(counts) })
    else addTally(figure.counts, counts)
  }
}

export function attemptsOf(counts: ReadonlyTally): { readonly succeeded: number; readonly failed: number } {
  let [succeeded, failed] = [0, 0]
  for (const outcome of OUTCOMES) {
    const times = counts.get(placeOf(outcome)) ?? 0
    if (outcome === 'delivered') succeeded += times
    else failed += times
  }
  return { succeeded, failed }
}

/** Sums up whole sheets, and tells which ids come first. */
export class FigureRanks {
  readonly #tallies = new Map<number, Tally>()

  addSheet(data: string): void {
    eachLine(data, (id, from, to) => {
      let tally = this.#tallies.get(id)
      if (tally === undefined) {
        tally = new Map()
        this.#tallies.set(id, tally)
      }
      readCounts(tally, data, from, to)
    })
  }

  first({ by, limit }: Pick<Ranking, 'by' | 'limit'>): readonly RankedFigure[] {
    const ranked = Array.from(this.#tallies, ([id, counts]) => {
      const { succeeded, failed } = attemptsOf(counts)
      return { id, events: counts.get(EVENTS_PLACE) ?? 0, attempts: succeeded + failed, failed }
    })
    return ranked
      .filter((figure) => figure[by] > 0)
      .sort((one, other) => other[by] - one[by] || one.id - other.id)
      .slice(0, limit)
  }
}

/** Sheets of each span that one call of a ranking reads. */
export const SHEETS_RANKED = 16
