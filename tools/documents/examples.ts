import { createValidators, type Validator } from '../../packages/server/src/validation/validators.ts'

type Node = Readonly<Record<string, unknown>>

const compile = createValidators({ allowUnionTypes: true, strictRequired: false })

/**
 * Validates every example in a document against its schema: those of schemas, parameters, headers, bodies and
 * messages.
 * @returns the mismatches, and the number of examples
 */
export function checkExamples(document: Node): {
  readonly mistakes: readonly string[]
  readonly count: number
} {
  const mistakes: string[] = []
  let count = 0
  const validators = new Map<unknown, Validator>()
  const check = (schema: unknown, value: unknown, place: string) => {
    count += 1
    const validator = validators.get(schema) ?? compile(resolved(document, schema) as object)
    validators.set(schema, validator)
    if (validator(value)) return
    const errors = (validator.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    mistakes.push(`${place}: ${errors.join('; ')}`)
  }
  const visit = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [schema, value] of examplesAt(document, node as Node)) check(schema, value, place)
    for (const [name, inner] of Object.entries(node)) {
      if (!DATA.includes(name)) visit(inner, `${place}/${name}`)
    }
  }
  visit(document, '#')
  return { mistakes, count }
}

/** Members whose values are data, not parts of the document. */
const DATA = ['example', 'examples', 'const', 'enum', 'default', 'value']

/** The examples at one place, each with its schema. */
function examplesAt(document: Node, node: Node): readonly (readonly [schema: unknown, value: unknown])[] {
  const { schema, example, examples, payload, headers } = node
  if (payload !== undefined && Array.isArray(examples)) {
    return examples.flatMap((one: Node) => [
      [payload, one.payload],
      [headers, one.headers],
    ])
  }
  // In a schema a list of values, elsewhere named objects.
  if (Array.isArray(examples)) return examples.map((value) => [node, value])
  const named = Object.values(examples ?? {}).map((one) => (resolved(document, one) as Node).value)
  const values = example === undefined ? named : [example, ...named]
  return schema === undefined ? [] : values.map((value) => [schema, value])
}

/** A copy with references replaced by their targets. There are no cycles. */
function resolved(document: Node, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => resolved(document, item))
  if (typeof node !== 'object' || node === null) return node
  const { $ref } = node as Node
  if (typeof $ref === 'string') return resolved(document, at(document, $ref))
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolved(document, value)]))
}

function at(document: Node, ref: string): unknown {
  const steps = ref
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], document)
  if (!ref.startsWith('#/') || found === undefined) throw new Error(`${ref} leads nowhere`)
  return found
}
