import type { DocumentStage } from './stage/documentStage.ts'

/** Limits of the run over one document, so that all runs take two or three minutes. */
export interface Bounds {
  /** Generated requests per operation, in addition to those for the limits of each value. */
  readonly examples: number
}

const quoted = (text: string) => JSON.stringify(text)
const table = (values: Readonly<Record<string, string>>) =>
  `{ ${Object.entries(values)
    .map(([name, value]) => `${quoted(name)} = ${quoted(value)}`)
    .join(', ')} }`

/** The file `schemathesis.toml` of a run over one document. @param hooks path of `hooks.py` */
export function configOf(stage: DocumentStage, { examples }: Bounds, hooks: string): string {
  const { '': common = {}, ...params } = stage.params
  const operations = new Set([...Object.keys(params), ...Object.keys(stage.tokens), ...stage.apart])
  return `${[
    `hooks = ${quoted(hooks)}`,
    'continue-on-failure = true',
    'request-timeout = 10',
    // The stream lasts for minutes, and sends nothing while nothing happens.
    'max-stream-events = 1',
    // Warnings are hints for more tests; problems are failures.
    'warnings = false',
    '[generation]',
    `max-examples = ${examples}`,
    'deterministic = true',
    'no-shrink = true',
    // Generated credentials in addition to the given ones are useless; the checks send some instead.
    'with-security-parameters = false',
    '[checks]',
    'enabled = true',
    '[parameters]',
    ...inPath(common),
    ...[...operations].flatMap((id) => {
      const token = stage.tokens[id]
      const headers = token === undefined ? [] : [`headers = ${table({ Authorization: `Bearer ${token}` })}`]
      return [
        '[[operations]]',
        `include-operation-id = ${quoted(id)}`,
        ...headers,
        '[operations.parameters]',
        ...inPath(params[id] ?? {}),
        ...(stage.apart.includes(id) ? ['[operations.phases.stateful]', 'enabled = false'] : []),
      ]
    }),
  ].join('\n')}\n`
}

const inPath = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => `${quoted(`path.${name}`)} = ${quoted(value)}`)
