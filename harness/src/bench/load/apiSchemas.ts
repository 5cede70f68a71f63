import type { BareApiStart, Schema } from '../programs/bareApi.ts'

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** The schemas of the service's routes, so that the baseline validates and serializes with the same ones. */
export async function readSchemas(
  baseUrl: string,
  eventType: string,
): Promise<Omit<BareApiStart, 'databaseFile'>> {
  const document = (await (await fetch(`${baseUrl}/openapi/ads.json`)).json()) as Document
  const resolve = resolverOf(document)
  const operation = (method: string, path: string) => document.paths[path]![method]!
  const bodyOf = ({ requestBody }: Operation) => resolve(requestBody!.content['application/json']!.schema)
  const answerOf = ({ responses }: Operation, status: string) =>
    resolve(responses[status]!.content!['application/json']!.schema)
  const create = operation('post', '/api/v1/webhooks')
  const list = operation('get', '/api/v1/webhooks')
  const publish = operation('post', '/api/v1/events')
  return {
    create: { body: bodyOf(create), response: answerOf(create, '201') },
    list: {
      querystring: { type: 'object', properties: { limit: { type: 'string' } } },
      response: answerOf(list, '200'),
    },
    publish: { body: memberFor(bodyOf(publish), eventType), response: answerOf(publish, '202') },
  }
}

/** Replaces references by what they refer to; the schemas are not recursive. */
function resolverOf(document: Document): (schema: Json) => Schema {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...members } = value as { $ref?: string }
    if ($ref !== undefined) return resolve(lookUp(document, $ref))
    return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, resolve(member)]))
  }
  return (schema) => resolve(schema) as Schema
}

function lookUp(document: Document, reference: string): unknown {
  let found: unknown = document
  for (const name of reference.split('/').slice(1)) found = (found as Json)[name]
  return found
}

/**
 * The body schema of one event type: the service looks the type up and validates by its schema only, and so
 * must the baseline.
 */
function memberFor(body: Schema, eventType: string): Schema {
  const members = (body.oneOf ?? [body]) as readonly { properties: { type: { const?: string } } }[]
  const member = members.find(({ properties }) => properties.type.const === eventType)
  if (member === undefined) throw new Error(`the API document has no request body for ${eventType}`)
  return member as unknown as Schema
}
