import type { JsonSchema } from '../../core/catalog.ts'
import type { Slice } from '../shared/bodies/turns.ts'
import { isOptionalBody } from '../shared/schemas.ts'
import { type Collected, PUT_ASIDE } from './collect.ts'
import type { SchemaComponents } from './components.ts'
import type { Operation, Paths } from './objects.ts'
import { PROBLEM_EXAMPLES, withProblemExamples } from './problemExamples.ts'
import { HEADER_COMPONENTS, headersOf } from './responseHeaders.ts'

/** What a document says to people. */
export interface Text {
  readonly title: string
  readonly summary: string
  /** Markdown. */
  readonly description: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
}

/** Operations and webhooks as a document shows them, and the schemas that they refer to. */
export interface Described {
  readonly paths: Paths
  readonly webhooks?: Paths
  readonly securitySchemes: Readonly<Record<string, object>>
  readonly schemas: SchemaComponents
}

export const LICENSE = { name: 'Apache 2.0' }

/** One OpenAPI document. */
export function openApi(text: Text, version: string, described: Described): object {
  const { title, summary, description, tags } = text
  const { paths, webhooks, securitySchemes, schemas } = described
  const document = {
    openapi: '3.1.0',
    info: {
      title,
      summary,
      description,
      version,
      license: { ...LICENSE, identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that serves this document.' }],
    externalDocs: { url: '/help/', description: 'Documentation' },
    tags,
    paths,
    ...(webhooks === undefined ? {} : { webhooks }),
    components: { securitySchemes, schemas: schemas.all() },
  }
  const shared = { headers: HEADER_COMPONENTS, examples: PROBLEM_EXAMPLES }
  return { ...document, components: { ...document.components, ...mapValues(shared, usedIn(paths)) } }
}

/** Of components of one kind, those that responses refer to. */
function usedIn(paths: Paths) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const text = JSON.stringify(operations.map(({ responses }) => responses))
  return (components: Readonly<Record<string, object>>, kind: string) =>
    Object.fromEntries(
      Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    )
}

/** The operations at the given paths, with schemas put back and the headers of their responses. */
export async function describePaths(
  collected: Collected,
  schemas: SchemaComponents,
  isWanted: (path: string) => boolean,
  slice: Slice,
): Promise<Paths> {
  const restored: Record<string, Paths[string]> = {}
  for (const [path, item] of Object.entries(collected.paths).filter(([path]) => isWanted(path))) {
    restored[path] = withSchemas(item, collected.schemas, schemas) as Paths[string]
    if (slice.isOver) await slice.next()
  }
  return mapOperations(restored, (operation, path, method) => ({
    ...withOptionalBody(operation),
    responses: mapValues(operation.responses, (response, status) => ({
      ...withProblemExamples(response),
      headers: headersOf({ paths: restored, path, method, operation }, status),
    })),
  }))
}

/** The library calls every body required. */
function withOptionalBody(operation: Operation): Operation {
  const { requestBody } = operation
  if (!isOptionalBody(requestBody?.content['application/json']?.schema)) return operation
  return { ...operation, requestBody: { ...requestBody!, required: false } }
}

export const mapOperations = (
  paths: Paths,
  change: (operation: Operation, path: string, method: string) => Operation,
): Paths =>
  mapValues(paths, (item, path) => mapValues(item, (operation, method) => change(operation, path, method)))

const mapValues = <Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Value,
) => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

/** Puts the schemas back that were put aside. */
function withSchemas(node: unknown, putAside: readonly JsonSchema[], schemas: SchemaComponents): unknown {
  if (Array.isArray(node)) return node.map((item) => withSchemas(item, putAside, schemas))
  if (typeof node !== 'object' || node === null) return node
  if (PUT_ASIDE in node) return schemas.refer(putAside[Number(node[PUT_ASIDE])]!)
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, withSchemas(value, putAside, schemas)]),
  )
}
