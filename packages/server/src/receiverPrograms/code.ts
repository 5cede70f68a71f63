import type { Field, Found, Mixed, Plan, Reading } from './plan.ts'

const WORDS: Readonly<Record<Field, readonly string[]>> = {
  id: ['event', 'id'],
  timestamp: ['timestamp'],
  'timestamp:iso': ['sent', 'at'],
  type: ['event', 'type'],
  delivery_id: ['delivery', 'id'],
  attempt: ['attempt'],
  'workspace.slug': ['workspace', 'slug'],
  webhook_id: ['webhook', 'id'],
  signatures: ['signatures'],
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The variable that holds a field. */
export const snake = (field: Field): string => WORDS[field].join('_')
export const camel = (field: Field): string => {
  const [first = '', ...rest] = WORDS[field]
  return [first, ...rest.map(capitalized)].join('')
}

/** A string in the C family, Python, Go and Rust, which write visible ASCII alike. */
export const doubleQuoted = (text: string): string => JSON.stringify(text)
/** A string in JavaScript, PHP and Ruby in which nothing is replaced. */
export const singleQuoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** What is signed ahead of the body, in languages that add strings up. */
export const sum = (
  { signed }: Plan,
  name: (field: Field) => string,
  quoted: (text: string) => string,
  operator = '+',
): string =>
  signed.map((part) => (typeof part === 'string' ? quoted(part) : name(part.field))).join(` ${operator} `)

/** What is signed ahead of the body, in languages that put values into strings. */
export const interpolated = (
  { signed }: Plan,
  value: (field: Field) => string,
  text: (text: string) => string,
): string => signed.map((part) => (typeof part === 'string' ? text(part) : value(part.field))).join('')

/** A regular expression that has a group for each wanted field of a header; all the languages read it alike. */
export function patternOf({ template, fields }: Reading & { readonly template: Mixed }): string {
  const open = new Set(fields)
  return template
    .map((part) => {
      if (typeof part === 'string') return part.replaceAll(/[.*+?^${}()|[\]\\/#]/g, '\\$&')
      return open.delete(part.field) ? '(.*?)' : '.*?'
    })
    .join('')
}

export const hasTemplate = (reading: Reading): reading is Reading & { readonly template: Mixed } =>
  reading.template !== null

/** The name of a header in the environment of CGI and Rack. */
export const environmentName = (header: string): string => `HTTP_${header.toUpperCase().replaceAll('-', '_')}`

/** The path to a member of the parsed body. */
export const memberPath = (
  found: Found & { readonly in: 'body' },
  root: string,
  quoted: (text: string) => string,
) => `${root}${found.path.map((step) => `[${quoted(step)}]`).join('')}`

/** What languages log that have no JSON in their standard library: headers, and the body as it came. */
export const loggedHeaders = ({ logged }: Plan): readonly string[] =>
  logged.flatMap((found) => (found.in === 'header' ? [found.name] : []))

/** Whether the prefix of a secret has to be cut off before it is decoded. */
export const hasPrefix = ({ key, secretPrefix }: Plan): boolean => key !== 'utf8' && secretPrefix !== ''

/** What the key is, for a comment. */
export function keyComment(plan: Plan): string {
  if (plan.key === 'utf8') return 'The key is the whole text of the secret.'
  const rest = hasPrefix(plan) ? `what follows ${JSON.stringify(plan.secretPrefix)}` : 'the secret'
  return `The key is ${rest}, decoded from ${plan.key}.`
}

export const lines = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join('\n')

/** Says why a signature is compared in this way, once. */
export const SEVERAL =
  'While a secret is being replaced, there can be several signatures. One match is enough.'
export const RAW = 'Verify the raw bytes: a body that was parsed and serialized again does not verify.'
export const AFTERWARDS =
  'The same event can arrive twice: skip ids that you have already processed. Answer now, and do slow work later.'
export const NO_MATCH = 'no signature matches: check WEBHOOK_SECRET'
export const OLD = 'the timestamp differs from the current time by more than 5 minutes'
