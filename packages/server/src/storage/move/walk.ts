import { createHash } from 'node:crypto'
import type { Connection } from '../sqlite/connection.ts'
import { KINDS, type Kind, type Value } from './columns.ts'
import { sourceOf, type TableWithColumns } from './tables.ts'

/** Rows and bytes after which a chunk ends, at the next position of the walk. */
const CHUNK = { rows: 5_000, bytes: 4 * 1024 * 1024 } as const
/** Rows per comparison. */
const RANGE_ROWS = 10_000

/** Positions before every row and after every row. */
export const FIRST_PLACE = Number.MIN_SAFE_INTEGER
export const LAST_PLACE = Number.MAX_SAFE_INTEGER

type Row = readonly Value[]

/** Rows of a table that are written at once. */
export interface Chunk {
  /** The values of each column, in the order of the table's. */
  readonly columns: readonly (readonly Value[])[]
  readonly rows: number
  /** The position of the last of them in the walk. */
  readonly through: number
}

/** A part of a table, by its hash. */
export interface Range {
  /** Its start and end in the walk; the start is exclusive. */
  readonly after: number
  readonly through: number
  readonly rows: number
  /** Hash of its rows in order; `null` when it has none. */
  readonly digest: Buffer | null
}

/** Reads a table of the embedded store in the order of its walk. */
export class TableWalk {
  readonly #kinds: readonly Kind[]
  /** The position of a row in the walk. */
  readonly #place: number
  readonly #rows: (after: number) => IterableIterator<Row>

  constructor(db: Connection, table: TableWithColumns) {
    const names = Object.keys(table.columns)
    this.#kinds = Object.values(table.columns)
    this.#place = names.indexOf(table.walk[0])
    const columns = names.map((name) => `${sourceOf(table, name)} AS ${name}`)
    const statement = db
      .prepare<[number], Row>(`
        SELECT ${columns.join(', ')} FROM ${table.from ?? table.name}
        WHERE ${sourceOf(table, table.walk[0])} > ? ORDER BY ${table.walk.join(', ')}`)
      .raw()
    this.#rows = (after) => statement.iterate(after)
  }

  /** @returns the rows after a position; `null` when there are none */
  chunk(after: number): Chunk | null {
    const columns: Value[][] = this.#kinds.map(() => [])
    let [rows, bytes, through] = [0, 0, after]
    for (const row of this.#rows(after)) {
      const place = row[this.#place] as number
      // Rows at one position stay together, since the next chunk starts after it.
      if ((rows >= CHUNK.rows || bytes >= CHUNK.bytes) && place !== through) break
      through = place
      rows++
      for (const [at, value] of row.entries()) {
        columns[at]!.push(storable(value))
        bytes += sizeOf(value)
      }
    }
    return rows === 0 ? null : { columns, rows, through }
  }

  /** The whole table as at least one range, without gaps. */
  *ranges(): Generator<Range> {
    let range = new OpenRange(FIRST_PLACE)
    let last = FIRST_PLACE
    for (const row of this.#rows(FIRST_PLACE)) {
      const place = row[this.#place] as number
      if (range.rows >= RANGE_ROWS && place !== last) {
        yield range.end(last)
        range = new OpenRange(last)
      }
      last = place
      range.add(this.#wordsOf(row))
    }
    yield range.end(LAST_PLACE)
  }

  #wordsOf(row: Row): string {
    return row.map((value, at) => KINDS[this.#kinds[at]!].words(storable(value))).join(' ')
  }
}

class OpenRange {
  readonly #after: number
  readonly #hash = createHash('sha256')
  rows = 0

  constructor(after: number) {
    this.#after = after
  }

  add(words: string): void {
    this.rows++
    this.#hash.update(createHash('sha256').update(words).digest())
  }

  end(through: number): Range {
    const { rows } = this
    return { after: this.#after, through, rows, digest: rows === 0 ? null : this.#hash.digest() }
  }
}

/** PostgreSQL's texts cannot contain NUL; the text is stored as its driver would store it. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value
}

function sizeOf(value: Value): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
}
