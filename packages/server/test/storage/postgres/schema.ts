import type pg from 'pg'

/** The content of a schema, in order: one query for each kind, which returns `line`s. `$1` is the schema. */
const CATALOG: readonly [title: string, query: string][] = [
  [
    'tables',
    `SELECT concat_ws(' ', c.relname, CASE c.relkind WHEN 'v' THEN 'view' END, 'PARTITION BY ' || pg_get_partkeydef(c.oid),
        array_to_string(c.reloptions, ' ')) AS line
      FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
      ORDER BY c.relname`,
  ],
  [
    'columns',
    `SELECT concat_ws(' ', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN 'NOT NULL' END, CASE a.attidentity WHEN 'd' THEN 'BY DEFAULT AS IDENTITY' WHEN 'a' THEN
        'ALWAYS AS IDENTITY' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
      ORDER BY c.relname, a.attnum`,
  ],
  [
    // Since PostgreSQL 18 those of NOT NULL are listed too, which the columns already show.
    'constraints',
    `SELECT c.relname || ' ' || k.conname || ': ' || pg_get_constraintdef(k.oid) AS line
      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
      WHERE c.relnamespace = $1::regnamespace AND NOT c.relispartition AND k.contype <> 'n'
      ORDER BY c.relname, k.conname`,
  ],
  [
    'indexes',
    `SELECT pg_get_indexdef(i.indexrelid) AS line
      FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid
      WHERE c.relnamespace = $1::regnamespace AND NOT c.relispartition ORDER BY x.relname`,
  ],
  [
    'sequences',
    `SELECT concat_ws(' ', sequencename, data_type, 'from', start_value, 'by', increment_by, min_value, max_value,
        'cache', cache_size, 'cycle', cycle) AS line
      FROM pg_sequences WHERE schemaname = $1 ORDER BY sequencename`,
  ],
  [
    'triggers',
    `SELECT pg_get_triggerdef(t.oid) AS line
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE c.relnamespace = $1::regnamespace AND NOT c.relispartition AND NOT t.tgisinternal
      ORDER BY c.relname, t.tgname`,
  ],
  [
    'functions',
    `SELECT pg_get_functiondef(oid) AS line FROM pg_proc WHERE pronamespace = $1::regnamespace ORDER BY proname`,
  ],
]

const VIEWS = `
  SELECT viewname || ': ' || definition AS line FROM pg_views WHERE schemaname = $1 ORDER BY viewname`

/**
 * The complete definition of a store's tables, in a form that is the same for every release of PostgreSQL and
 * name of the schema.
 */
export async function describeSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT current_schema() AS name')
  const schema = rows[0]!.name
  const linesOf = async (query: string) =>
    (await client.query<{ line: string }>(query, [schema])).rows.map(({ line }) =>
      line.replaceAll(`${schema}.`, '').trimEnd(),
    )
  const parts: string[] = []
  for (const [title, query] of CATALOG) parts.push(section(title, await linesOf(query)))
  // PostgreSQL 16 stopped naming the table where a query has only one.
  const views = (await linesOf(VIEWS)).map((line) => line.replaceAll(/\b[a-z][a-z_]+\.(?=\w)/g, ''))
  return [...parts, section('views', views)].join('\n')
}

const section = (title: string, lines: readonly string[]): string => `-- ${title}\n${lines.join('\n')}\n`
