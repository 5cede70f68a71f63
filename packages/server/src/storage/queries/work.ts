import type { DriverCalls } from './driverCalls.ts'
import type { EachStatement, Statement, Value } from './sql.ts'

/** What a query asks its store for. */
export type Ask =
  | {
      readonly kind: 'rows' | 'row' | 'run'
      readonly statement: Statement
      readonly values: readonly Value[]
    }
  | {
      readonly kind: 'each'
      readonly statement: EachStatement
      readonly rows: readonly EachRow[]
      readonly most: number | null
      readonly values: readonly Value[]
    }
  | { readonly kind: 'all'; readonly works: readonly Work<unknown>[] }
  | { readonly kind: 'driverCall'; readonly name: keyof DriverCalls; readonly params: readonly unknown[] }

/**
 * A query as a generator: it yields its statements and continues with their results. SQLite answers immediately, inside the
 * group commit of its thread, and PostgreSQL later, so that one generator serves both.
 */
export type Work<Result> = Generator<Ask, Result, unknown>

export function* rows<Row extends object>(
  statement: Statement,
  values: readonly Value[] = [],
): Work<readonly Row[]> {
  return (yield { kind: 'rows', statement, values }) as readonly Row[]
}

type EachRow = Readonly<Record<string, string | number>>

/**
 * @param most stop once this many rows were read in total; `null`: no limit
 * @param values of the statement, from the third on
 * @returns the rows for each of the rows of values
 */
export function* rowsOfEach<Row extends object>(
  statement: EachStatement,
  of: readonly EachRow[],
  most: number | null = null,
  values: readonly Value[] = [],
): Work<readonly (readonly Row[])[]> {
  if (of.length === 0) return []
  return (yield { kind: 'each', statement, rows: of, most, values }) as readonly (readonly Row[])[]
}

/** @returns the first row, if any */
export function* row<Row extends object>(
  statement: Statement,
  values: readonly Value[] = [],
): Work<Row | undefined> {
  return (yield { kind: 'row', statement, values }) as Row | undefined
}

/** @returns how many rows it changed */
export function* run(statement: Statement, values: readonly Value[] = []): Work<number> {
  return (yield { kind: 'run', statement, values }) as number
}

/** Asks for what each driver does in its own way. */
export function* callDriver<Name extends keyof DriverCalls>(
  name: Name,
  ...params: Parameters<DriverCalls[Name]>
): Work<ReturnType<DriverCalls[Name]>> {
  return (yield { kind: 'driverCall', name, params }) as ReturnType<DriverCalls[Name]>
}

/** For works that do not need each other's answers: they take effect in this order, and PostgreSQL gets all in one round trip. */
export function* all<Results extends readonly unknown[]>(
  ...works: { readonly [K in keyof Results]: Work<Results[K]> }
): Work<Results> {
  return (yield { kind: 'all', works }) as Results
}

export const nothing = (): Work<unknown> => all()
