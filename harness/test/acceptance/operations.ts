import { readFileSync } from 'node:fs'
import { ApiDocument } from '../../src/api/apiDocument.ts'
import type { SchemaObject } from '../../src/api/jsonSchema.ts'
import type { OpenApi } from '../../src/api/openapi.ts'
import type { Operation, SchemaPlace } from '../../src/api/operation.ts'

type DocumentName = 'content' | 'ads' | 'admin' | 'console'

/** An operation, with the parts of its document that tests need. */
export interface Described extends Operation {
  readonly document: DocumentName
  /** Its described error codes, by status. */
  readonly codes: ReadonlyMap<string, readonly string[]>
}

const DOCUMENTS: readonly DocumentName[] = ['content', 'ads', 'admin', 'console']

/** The documents in the repository: their content must be known before the service that serves them runs. */
const documents = new Map(
  DOCUMENTS.map((name) => {
    const file = new URL(`../../../docs/api/${name}.openapi.json`, import.meta.url)
    return [name, new ApiDocument(name, JSON.parse(readFileSync(file, 'utf8')) as OpenApi)]
  }),
)

export const sources = [...documents].map(([name, { source }]) => ({ name, source }))

export const operations: readonly Described[] = [...documents].flatMap(([name, document]) =>
  document.operations.map((operation) => ({
    ...operation,
    document: name,
    codes: codesOf(document.source, operation),
  })),
)

function codesOf({ paths }: OpenApi, { path, method, responses }: Operation): Described['codes'] {
  const described = paths[path]?.[method]?.responses ?? {}
  return new Map(
    [...responses.keys()].map((status) => {
      const examples = described[status]?.content?.['application/problem+json']?.examples ?? {}
      return [status, Object.keys(examples)]
    }),
  )
}

export const hasCode = ({ codes }: Described, code: string) =>
  [...codes.values()].some((ofStatus) => ofStatus.includes(code))

/** Operations that describe this error code, with their ids first, for test titles. */
export const withCode = (code: string) => titled(operations.filter((operation) => hasCode(operation, code)))

export const titled = (some: readonly Described[]) =>
  some.map((operation): [string, Described] => [operation.id, operation])

export const parameterNames = ({ parameters }: Described, where: 'path' | 'query' | 'header') =>
  parameters.filter((parameter) => parameter.in === where).map(({ name }) => name)

/** The schema of an operation's JSON body; `null` when it has none. */
export function bodySchema({ document, body }: Described): SchemaObject | null {
  const place: SchemaPlace | null | undefined = body?.content.get('application/json')
  return place == null ? null : documents.get(document)!.places.at<SchemaObject>(place.pointer).value
}

/** Path parameters that name nothing. */
export const blankParams = (operation: Described): Record<string, string> =>
  Object.fromEntries(parameterNames(operation, 'path').map((name) => [name, 'unknown']))
