import type pg from 'pg'

/** The relevant parts of a plan's node in EXPLAIN. */
interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Loops'?: number
  readonly Plans?: readonly Node[]
}

/** One way in which a statement reads a table. */
interface Scan {
  /** Of a table partitioned by day, without the day. */
  readonly table: string
  /** `null`: in a table that is not partitioned by day. */
  readonly day: string | null
  readonly type: string
  readonly index: string | null
  /** `null`: all of the index. */
  readonly condition: string | null
  /** How often it was started; `null` in a plan that was not executed. */
  readonly loops: number | null
}

interface Plan {
  readonly scans: readonly Scan[]
  /** All kinds of steps. */
  readonly steps: ReadonlySet<string>
}

/**
 * The generic plan of a statement, in a connection with the driver's settings.
 * @param values by the position of the parameter, from 1; the others get values of their types
 * @param analyze executes it, and rolls back
 */
export async function planOf(
  client: pg.Client,
  statement: string,
  values: Readonly<Record<number, number | string>>,
  analyze = false,
): Promise<Plan> {
  await client.query(`BEGIN; DEALLOCATE ALL; PREPARE statement AS ${statement}`)
  try {
    const { rows } = await client.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'statement'`,
    )
    const given = rows[0]!.types.map((type, index) => String(values[index + 1] ?? sampleOf(type)))
    const call = given.length === 0 ? 'statement' : `statement(${given.join()})`
    const explain = `EXPLAIN (FORMAT JSON, ANALYZE ${analyze}, TIMING off) EXECUTE ${call}`
    const explained = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>(explain)
    return read(explained.rows[0]!['QUERY PLAN'][0]!.Plan)
  } finally {
    await client.query('ROLLBACK')
  }
}

function sampleOf(type: string): string {
  if (type.endsWith('[]')) return `array[${sampleOf(type.slice(0, -2))}]::${type}`
  const samples: Record<string, string> = {
    text: `'a'`,
    boolean: 'true',
    bytea: `'\\x00'`,
    tid: `'(0,1)'`,
    json: `'[]'`,
  }
  return samples[type] ?? '1'
}

function read(root: Node): Plan {
  const scans: Scan[] = []
  const steps = new Set<string>()
  const visit = (node: Node) => {
    steps.add(node['Node Type'])
    if (node['Node Type'].endsWith('Scan') && node['Relation Name'] !== undefined) scans.push(scanOf(node))
    for (const child of node.Plans ?? []) visit(child)
  }
  visit(root)
  return { scans, steps }
}

function scanOf(node: Node): Scan {
  const [, table, day] = /^(.*?)(?:_(\d{8}))?$/.exec(node['Relation Name']!)!
  return {
    table: table!,
    day: day ?? null,
    type: node['Node Type'],
    index: node['Index Name'] ?? null,
    condition: node['Index Cond'] ?? null,
    loops: node['Actual Loops'] ?? null,
  }
}
