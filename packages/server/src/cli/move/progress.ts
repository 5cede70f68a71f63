import type { Writable } from 'node:stream'
import { numberOf } from '../words.ts'

/** How often a line on a terminal is rewritten. */
const EVERY_MS = 200

/** Reports the progress of a move: on a terminal in one line that changes, elsewhere in one line per table. */
export class Progress {
  readonly #out: Writable & { readonly isTTY?: boolean }
  readonly #now: () => number
  #doing = ''
  #of: ReadonlyMap<string, number> = new Map()
  #table: string | null = null
  #rows = 0
  #writtenAt = Number.NEGATIVE_INFINITY

  /** @param now monotonic ms */
  constructor(out: Writable & { readonly isTTY?: boolean }, now: () => number) {
    this.#out = out
    this.#now = now
  }

  /** @param doing what happens to the rows now, such as "copied"; @param of row counts by table, if known */
  begin(doing: string, of: ReadonlyMap<string, number>): void {
    this.end()
    this.#doing = doing
    this.#of = of
  }

  readonly onRows = (table: string, rows: number): void => {
    if (this.#table !== null && this.#table !== table) this.#close()
    this.#table = table
    this.#rows = rows
    if (this.#out.isTTY !== true || this.#now() - this.#writtenAt < EVERY_MS) return
    this.#writtenAt = this.#now()
    this.#out.write(`\r\x1b[K${this.#line()}`)
  }

  /** The last table is done. */
  end(): void {
    if (this.#table !== null) this.#close()
  }

  #close(): void {
    this.#out.write(this.#out.isTTY === true ? `\r\x1b[K${this.#line()}\n` : `${this.#line()}\n`)
    this.#table = null
  }

  #line(): string {
    const of = this.#of.get(this.#table!)
    const all = of === undefined ? '' : ` of ${numberOf(of)}`
    return `${this.#doing} ${this.#table}: ${numberOf(this.#rows)}${all} rows`
  }
}
