import type { DocumentStage } from './stage/documentStage.ts'

/** Bounds on the run over one document, so that all of them take two or three minutes. */
export interface Bounds {
  /** Requests that are made up for each operation, beside those for the bounds of each value. */
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
    // The stream goes on for minutes, and sends nothing as long as nothing happens.
    'max-stream-events = 1',
    // Warnings are hints on how to test more; what is wrong is a failure.
    'warnings = false',
    '[generation]',
    `max-examples = ${examples}`,
    'deterministic = true',
    'no-shrink = true',
    // Made-up credentials beside those that are given are not looked at; the checks send some in their place.
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
