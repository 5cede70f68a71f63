import type { Kind } from './columns.ts'

/** A table of PostgreSQL, and where its rows are in the embedded store. */
export interface MovedTable {
  readonly name: string
  readonly columns: Readonly<Record<string, Kind>>
  /** In the embedded store; the table of the same name when left out. */
  readonly from?: string
  /** What columns are in the embedded store, where they are not columns of the same name. */
  readonly sources?: Readonly<Record<string, string>>
  /**
   * The order in which rows are walked through, which is total. The first column is an integer: what is copied or
   * compared at once is what lies between two values of it, and both stores find that by an index.
   */
  readonly walk: readonly [string, ...string[]]
  /** Another table that is written along with this one. */
  readonly beside?: {
    readonly name: string
    /** Columns of the other, and what they are in this one. */
    readonly columns: Readonly<Record<string, string>>
    readonly where: string
  }
}

/** @returns how the embedded store writes a column */
export const sourceOf = ({ sources = {} }: MovedTable, column: string): string => sources[column] ?? column
