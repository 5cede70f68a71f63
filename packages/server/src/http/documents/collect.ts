import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance, type FastifySchema } from 'fastify'
import type { JsonSchema } from '../../core/catalog.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { Profile } from '../../profiles/profile.ts'
import { hasKeyPair } from '../../profiles/secrets.ts'
import { WEBHOOK_KEYS_PATH, webhookKeysSchema } from '../keys/getWebhookKeys.ts'
import { OPERATIONS } from '../operations/index.ts'
import { LAYOUTS } from '../operations/layout.ts'
import { ServedOperation } from '../operations/service.ts'
import { withoutNames } from './components.ts'
import type { Paths } from './objects.ts'
import { ALL_SCHEMES } from './security.ts'
import { buildSlice } from './turns.ts'

/** Marks a schema that was put aside; its value is the index in {@link Collected.schemas}. */
export const PUT_ASIDE = 'x-put-aside'

/** The operations of all routes, and the schemas of their bodies. */
export interface Collected {
  readonly paths: Paths
  readonly schemas: readonly JsonSchema[]
}

/**
 * Records every route that is registered after it. Schemas of bodies are JSON Schema 2020-12, which OpenAPI 3.1 accepts
 * unchanged; they are put aside here because the library would rewrite them for older versions.
 * @returns a function that returns the records; call it once all routes are registered
 */
export function collectRoutes(app: FastifyInstance): () => Collected {
  const schemas: JsonSchema[] = []
  const putAside = (schema: JsonSchema) => ({ [PUT_ASIDE]: schemas.push(schema) - 1 })
  app.register(swagger, {
    openapi: { openapi: '3.1.0', components: { securitySchemes: ALL_SCHEMES } },
    convertConstToEnum: false,
    transform: ({ schema, url }) => ({ schema: withoutBodies(schema, putAside), url }),
  })
  return () => ({ paths: app.swagger().paths as unknown as Paths, schemas })
}

/** Collects the operations of a service, as if each were a separate route. */
export async function collectOperations(service: ServedProfile, slice = buildSlice()): Promise<Collected> {
  const app = fastify()
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  const collected = collectRoutes(app)
  const profile = withoutNamesInMembers(service.profile)
  const documented = { ...service, profile }
  app.register(async (scope) => {
    for (const operation of OPERATIONS) {
      if (slice.isOver) await slice.next()
      const path = operation.path(profile.paths)
      if (path === null || operation.isIn?.(profile) === false) continue
      scope.route({
        method: operation.method,
        url: LAYOUTS[profile.paths].base + path,
        schema: new ServedOperation(operation, documented).routeSchema(),
        handler: () => null,
      })
    }
    if (hasKeyPair(profile)) scope.get(WEBHOOK_KEYS_PATH, { schema: webhookKeysSchema(profile) }, () => null)
  })
  await app.ready()
  if (slice.isOver) await slice.next()
  return collected()
}

function withoutNamesInMembers(profile: Profile): Profile {
  const { event, envelope } = profile
  const members = Object.entries(event.members).map(([name, member]) => [
    name,
    { ...member, schema: withoutNames(member.schema) },
  ])
  return {
    ...profile,
    event: { ...event, members: Object.fromEntries(members) },
    envelope:
      envelope === 'bare'
        ? envelope
        : envelope.map((member) => ({
            ...member,
            schema: member.schema === null ? null : withoutNames(member.schema),
          })),
  }
}

type PutAside = (schema: JsonSchema) => JsonSchema
interface ResponseSchema extends JsonSchema {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

function withoutBodies(schema: FastifySchema | undefined, putAside: PutAside): FastifySchema {
  // Files and pages have no schema, and are not part of the API.
  if (schema === undefined || schema.hide === true) return { hide: true }
  const { body, response, ...rest } = schema
  const responses = Object.entries((response ?? {}) as Readonly<Record<string, ResponseSchema>>)
  return {
    ...rest,
    ...(body === undefined ? {} : { body: putAside(body as JsonSchema) }),
    response: Object.fromEntries(
      responses.map(([status, of]) => [status, responseWithoutBody(status, of, putAside)]),
    ),
  }
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'The request succeeded. The response has no body.',
}

function responseWithoutBody(status: string, schema: ResponseSchema, putAside: PutAside): JsonSchema {
  const { headers, content, ...body } = schema
  const description = schema.description ?? DESCRIPTIONS[status] ?? 'Answered.'
  const head = { description, ...(headers === undefined ? {} : { headers }) }
  if (schema.type === 'null') return { ...head, type: 'null' }
  if (content === undefined) return { ...head, ...putAside(body) }
  const media = Object.entries(content).map(([type, of]) => [type, { schema: putAside(of.schema) }])
  return { ...head, content: Object.fromEntries(media) }
}
