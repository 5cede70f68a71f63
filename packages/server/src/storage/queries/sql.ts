/** The databases that a store may be on. */
type Driver = 'sqlite' | 'postgres'

/** A piece of SQL that the databases spell differently. */
export interface Fragment extends Readonly<Record<Driver, string>> {}

/** One statement, as each database takes it. Values are `$1`, `$2`, … in both. */
export interface Statement extends Fragment {
  readonly kind: 'statement'
}

/** SQL that is the same on both databases, but for the fragments in it. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (string | Fragment)[]): Statement {
  const spell = (driver: Driver) =>
    texts.reduce((text, next, position) => text + spelling(parts[position - 1]!, driver) + next)
  return { kind: 'statement', sqlite: spell('sqlite'), postgres: spell('postgres') }
}

/** A statement that has little in common on the two. */
export const either = (spellings: Fragment): Statement => ({ kind: 'statement', ...spellings })

const spelling = (part: string | Fragment, driver: Driver) => (typeof part === 'string' ? part : part[driver])

/** Only for SQLite; PostgreSQL chooses by its statistics. */
export const indexedBy = (index: string): Fragment => ({ sqlite: `INDEXED BY ${index}`, postgres: '' })

/** Only for PostgreSQL; SQLite has one writer and needs no row locks. */
const lock = (postgres: string): Fragment => ({ sqlite: '', postgres })

export const FOR_UPDATE = lock('FOR UPDATE')
export const FOR_NO_KEY_UPDATE = lock('FOR NO KEY UPDATE')
export const forNoKeyUpdateOf = (alias: string): Fragment => lock(`FOR NO KEY UPDATE OF ${alias}`)
export const FOR_KEY_SHARE = lock('FOR KEY SHARE')
/** Passes over the rows that others have locked. */
export const SKIP_LOCKED = lock('FOR NO KEY UPDATE SKIP LOCKED')
/** The same where the rows are deleted, or where rows that others only rely on must be passed over as well. */
export const FOR_UPDATE_SKIP_LOCKED = lock('FOR UPDATE SKIP LOCKED')
export const skipLockedOf = (alias: string): Fragment => lock(`FOR NO KEY UPDATE OF ${alias} SKIP LOCKED`)
export const FOR_SHARE = lock('FOR SHARE')
/** Neither row can be deleted before the transaction ends. */
export const keeping = (shared: string, key: string): Fragment =>
  lock(`FOR SHARE OF ${shared} FOR KEY SHARE OF ${key}`)
export const keyShareOf = (alias: string): Fragment => lock(`FOR KEY SHARE OF ${alias}`)
export const forShareOf = (alias: string): Fragment => lock(`FOR SHARE OF ${alias}`)

/** Whether two e-mail addresses are equal regardless of case. In SQLite, the column's collation does that. */
export const sameEmail = (column: string, value: string): Fragment => ({
  sqlite: `${column} = ${value}`,
  postgres: `lower(${column}) = lower(${value})`,
})

/** @param value a {@link List} */
export const emailIsOneOf = (column: string, value: string): Fragment => ({
  sqlite: `${column} IN (SELECT value FROM json_each(${value}))`,
  postgres: `lower(${column}) = ANY (ARRAY(SELECT lower(x) FROM unnest(${value}::text[]) x))`,
})

/** A column of addresses in the target of an ON CONFLICT. */
export const EMAIL_KEY: Fragment = { sqlite: 'email', postgres: 'lower(email)' }

type ColumnType = 'bigint' | 'text'

/** A value whose type PostgreSQL cannot infer. */
export const typed = (value: string, type: ColumnType): Fragment => ({
  sqlite: value,
  postgres: `${value}::${type}`,
})

/** `column ${isOneOf('$1', 'text')}`; the value is a {@link List}. */
export const isOneOf = (value: string, type: ColumnType): Fragment => ({
  sqlite: `IN (SELECT value FROM json_each(${value}))`,
  postgres: `= ANY (${value}::${type}[])`,
})

/** A table of what {@link records} makes a value of. */
export function tableOf(
  alias: string,
  value: string,
  columns: Readonly<Record<string, ColumnType>>,
): Fragment {
  const names = Object.keys(columns)
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  return {
    sqlite: `(SELECT ${names.map((name) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each(${value})) ${alias}`,
    postgres: `json_to_recordset(${value}::json) AS ${alias} (${typed.join(', ')})`,
  }
}

/** Rows as one value. */
export const records = (rows: readonly Readonly<Record<string, string | number | null>>[]): string =>
  JSON.stringify(rows)

const columnOf = (member: string): string =>
  member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Columns under the names of a record's members: `k.public_id AS "publicId"`.
 * @param members separated by spaces
 */
export function columns(members: string, alias: string | null = null): string {
  const prefix = alias === null ? '' : `${alias}.`
  return members
    .split(' ')
    .map((member) => `${prefix}${columnOf(member)} AS "${member}"`)
    .join(', ')
}

/** The same as one value, for {@link objectOf}. */
export function asObject(members: string, alias: string): Fragment {
  const pairs = members.split(' ').map((member) => `'${member}', ${alias}.${columnOf(member)}`)
  return {
    sqlite: `json_object(${pairs.join(', ')})`,
    postgres: `json_build_object(${pairs.join(', ')})`,
  }
}

/** PostgreSQL's client has parsed it already. */
export function objectOf<Row extends object>(value: Row | string): Row {
  return typeof value === 'string' ? (JSON.parse(value) as Row) : value
}

/** Several values that take the place of one. */
export interface List {
  readonly type: ColumnType
  readonly members: readonly (string | number)[]
}

export const numberList = (members: Iterable<number>): List => ({ type: 'bigint', members: [...members] })
export const textList = (members: Iterable<string>): List => ({ type: 'text', members: [...members] })

export type Value = string | number | boolean | null | Uint8Array | List

export function isList(value: Value): value is List {
  return typeof value === 'object' && value !== null && 'members' in value
}

/**
 * Joins the rows of a table that `condition` finds for each row before it, one after another. PostgreSQL's planner would
 * read the whole table where it has no statistics yet: hence the OFFSET.
 */
export const joinEach = (
  table: string,
  alias: string,
  condition: string | Fragment,
  sqliteIndex: string | null = null,
): Fragment => ({
  sqlite: `CROSS JOIN ${table} ${alias} ${sqliteIndex === null ? '' : `INDEXED BY ${sqliteIndex}`} ON ${spelling(condition, 'sqlite')}`,
  postgres: `CROSS JOIN LATERAL (SELECT * FROM ${table} ${alias} WHERE ${spelling(condition, 'postgres')} OFFSET 0) ${alias}`,
})

/** The same as a left join. */
export const leftJoinEach = (table: string, alias: string, condition: Fragment): Fragment => ({
  sqlite: `LEFT JOIN ${table} ${alias} ON ${condition.sqlite}`,
  postgres: `LEFT JOIN LATERAL (SELECT * FROM ${table} ${alias} WHERE ${condition.postgres} OFFSET 0) ${alias} ON true`,
})

/** A statement that is carried out for each of several rows of values. */
export interface EachStatement extends Fragment {
  readonly kind: 'each'
}

/**
 * SQLite executes it row by row, and PostgreSQL for all rows in one statement.
 * @param columns of the rows of values
 * @param body in which `x.name` is a value of the row, and other values are `$3` and up
 */
export function each(columns: Readonly<Record<string, ColumnType>>, body: Fragment): EachStatement {
  const typed = Object.entries({ place: 'bigint', ...columns }).map(([name, type]) => `${name} ${type}`)
  return {
    kind: 'each',
    sqlite: body.sqlite.replaceAll(/\bx\.(\w+)/g, '$$$1'),
    postgres: `
      SELECT x.place, b.* FROM json_to_recordset($1::json) AS x (${typed.join(', ')})
      CROSS JOIN LATERAL (${body.postgres}) b LIMIT $2`,
  }
}
