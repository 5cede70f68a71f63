import { findNodeAtLocation, getLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser'

/** The subset of JSON Schema that the schema of profiles uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
}

/** A completion at the cursor. */
export interface Suggestion {
  /** Display text. */
  readonly label: string
  /** Inserted JSON. */
  readonly insert: string
  readonly description: string
}

/** Completions that replace a range of the text. */
export interface Suggestions {
  readonly from: number
  readonly to: number
  readonly options: readonly Suggestion[]
}

/** Help for a member, from the schema. */
export interface MemberHelp {
  readonly from: number
  readonly to: number
  readonly name: string
  readonly description: string
  readonly values: readonly string[]
}

/** The schema of the value at a path; `null`: none. */
export function schemaAt(schema: JsonSchema, path: JSONPath): JsonSchema | null {
  let found: JsonSchema | undefined = schema
  for (const step of path) {
    if (found === undefined) return null
    found = typeof step === 'number' ? found.items : memberSchema(found, step)
  }
  return found ?? null
}

function memberSchema({ properties, additionalProperties }: JsonSchema, name: string) {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Completions at the cursor that match the typed text: names of unused members, or values of the current member. */
export function suggestionsAt(schema: JsonSchema, text: string, offset: number): Suggestions | null {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset)
  const typed = previousNode !== undefined && offset <= previousNode.offset + previousNode.length
  const from = typed ? previousNode.offset : wordStart(text, offset)
  const to = typed ? previousNode.offset + previousNode.length : offset
  const all = isAtPropertyKey
    ? memberNames(schema, text, path.slice(0, -1), { from, to })
    : valuesOf(schemaAt(schema, path))
  const options = matching(all, text.slice(from, offset).replace(/^"/, ''))
  return options.length === 0 ? null : { from, to, options }
}

/** Options that start with the typed text, then options that contain it. */
function matching(options: readonly Suggestion[], typed: string): readonly Suggestion[] {
  const places = options.map((option) => ({
    option,
    place: option.label.toLowerCase().indexOf(typed.toLowerCase()),
  }))
  return [...places.filter(({ place }) => place === 0), ...places.filter(({ place }) => place > 0)].map(
    ({ option }) => option,
  )
}

/** Start of a word that is not JSON yet, such as a name without quotation marks. */
const wordStart = (text: string, offset: number) => offset - /[\w$-]*$/.exec(text.slice(0, offset))![0].length

function memberNames(
  schema: JsonSchema,
  text: string,
  path: JSONPath,
  typed: { readonly from: number; readonly to: number },
): readonly Suggestion[] {
  const members = schemaAt(schema, path)?.properties
  if (members === undefined) return []
  const root = parseTree(text)
  const node = root === undefined || path.length === 0 ? root : findNodeAtLocation(root, path)
  const taken = (node?.children ?? [])
    .map(({ children }) => children?.[0])
    .filter((name) => name !== undefined && name.offset !== typed.from)
    .map((name) => name!.value as unknown)
  const hasValue = /^\s*:/.test(text.slice(typed.to))
  return Object.entries(members)
    .filter(([name]) => !taken.includes(name))
    .map(([name, member]) => ({
      label: name,
      insert: JSON.stringify(name) + (hasValue ? '' : `: ${firstValue(member)}`),
      description: member.description ?? '',
    }))
}

/** Initial value of a new member: its only value, or an empty value of its type. */
function firstValue(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const [type] = [schema.type ?? ''].flat()
  return EMPTY_VALUES[type ?? ''] ?? ''
}

const EMPTY_VALUES: Readonly<Record<string, string>> = { object: '{}', array: '[]', string: '""' }

function valuesOf(schema: JsonSchema | null): readonly Suggestion[] {
  if (schema === null) return []
  const suggest = (value: unknown) => ({
    label: typeof value === 'string' ? value : JSON.stringify(value),
    insert: JSON.stringify(value),
    description: schema.description ?? '',
  })
  const types = [schema.type ?? []].flat()
  return [
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(schema.enum ?? []),
    ...(types.includes('boolean') ? [true, false] : []),
    ...(types.includes('null') && schema.enum?.includes(null) !== true ? [null] : []),
    ...(schema.enum === undefined ? (schema.examples ?? []) : []),
  ].map(suggest)
}

/** Help for the member whose name or scalar value is at an offset. */
export function memberHelpAt(schema: JsonSchema, text: string, offset: number): MemberHelp | null {
  const root = parseTree(text)
  const name = root === undefined ? undefined : nameAt(root, offset)
  if (name === undefined) return null
  const path = getLocation(text, name.offset + 1).path
  const found = schemaAt(schema, path)
  if (found === null || found.description === undefined) return null
  return {
    ...{ from: name.offset, to: name.offset + name.length },
    ...{ name: String(name.value), description: found.description },
    values: (found.enum ?? []).map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
  }
}

function nameAt(node: Node, offset: number): Node | undefined {
  const child = node.children?.find((one) => offset >= one.offset && offset < one.offset + one.length)
  if (child === undefined) return undefined
  return node.type === 'property' && child === node.children![0] ? child : nameAt(child, offset)
}
