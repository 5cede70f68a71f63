import type { JsonSchema } from '../../core/catalog.ts'
import { VERSION } from '../../engine/attempt/version.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { Slice } from '../shared/bodies/turns.ts'
import type { Collected } from './collect.ts'
import { SchemaComponents } from './components.ts'
import {
  describePublished,
  publishedExamples,
  publishesEvents,
  withPublishedExamples,
} from './events/published.ts'
import { withoutReferences } from './events/schemas.ts'
import { type EventService, eventServiceOf } from './events/service.ts'
import { knownEventTypes, withTypesInBody, withTypesInQuery } from './events/subscribed.ts'
import { describeWebhooks } from './events/webhooks.ts'
import type { Operation } from './objects.ts'
import { describePaths, mapOperations, openApi } from './openapi.ts'
import {
  ADMIN_SECURITY,
  CONSOLE_SECURITY,
  NO_CREDENTIALS,
  PUBLISHER_SECURITY,
  SERVICE_SECURITY,
} from './security.ts'
import { adminText } from './texts/admin.ts'
import { consoleText } from './texts/console.ts'
import { serviceText } from './texts/service.ts'
import { buildSlice } from './turns.ts'

/** The services that run here, by name. */
export type ServedProfiles = ReadonlyMap<string, ServedProfile>

/** Needs no credentials: probes and scrapers have none. */
const PROBES = ['/healthz', '/readyz', '/metrics']

type Audience = 'admin' | 'console'

/**
 * Which document contains a path.
 * @throws Error when there is none for it
 */
function audienceOf(path: string): Audience {
  if (path.startsWith('/console/v1/')) return 'console'
  if (path.startsWith('/admin/v1/') || PROBES.includes(path)) return 'admin'
  throw new Error(`no document is meant for the route ${path}: hide it, or say here where it belongs`)
}

/** The paths of the OpenAPI documents, and their titles. */
export const openApiDocuments = (profiles: ServedProfiles) => [
  ...[...profiles.values()].map(({ profile: { name, title } }) => ({
    url: `/openapi/${name}.json`,
    name: title,
  })),
  { url: '/openapi/admin.json', name: 'Provisioning and operations' },
  { url: '/openapi/console.json', name: 'Console' },
]

/** Total of all types of a service: further references are left out, so that a small profile has no huge document. */
const MOST_REFERENCES_OF_TYPES = 20_000

/** The description of a service in documents, built with pauses. */
export async function describeService(served: ServedProfile, slice: Slice): Promise<EventService> {
  const schemas = new Map<string, JsonSchema>()
  const references = { left: MOST_REFERENCES_OF_TYPES }
  for (const { type, schema } of served.catalog.values()) {
    if (slice.isOver) await slice.next()
    schemas.set(type, withoutReferences(schema, references))
  }
  return eventServiceOf(served, schemas)
}

/** @param collected the operations of the service */
export async function serviceDocument(
  collected: Collected,
  service: EventService,
  slice = buildSlice(),
): Promise<object> {
  // Texts of a profile become titles of schemas, and may collide with others.
  const schemas = new SchemaComponents(service.served.version === 0 ? 'unique' : 'numbered')
  const found = await describePaths(collected, schemas, () => true, slice)
  await describePublished(schemas, service, slice)
  const webhooks = await describeWebhooks(schemas, service, slice)
  const examples = await publishedExamples(service, slice)
  const known = knownEventTypes(schemas, [service])
  const paths = mapOperations(found, (operation, path) => {
    const publishes = publishesEvents(operation, service)
    const { security } = publishes ? PUBLISHER_SECURITY : SERVICE_SECURITY
    const described = publishes
      ? withPublishedExamples(operation, service, examples)
      : withTypesInBody(withTypesInQuery(operation, known), schemas, service)
    const secured = { ...described, security: operation.security ?? security }
    const isOpen = operation.security?.length === 0
    return publishes || isOpen || path.includes('{ws}') ? secured : withWorkspaceHeader(secured)
  })
  if (slice.isOver) await slice.next()
  return openApi(serviceText(service, paths, webhooks), VERSION, {
    paths,
    webhooks,
    securitySchemes: SERVICE_SECURITY.schemes,
    schemas,
  })
}

/** If the path has no workspace, a browser session has to name one. */
const withWorkspaceHeader = (operation: Operation): Operation => ({
  ...operation,
  parameters: [
    ...(operation.parameters ?? []),
    {
      name: 'posthorn-workspace',
      in: 'header',
      required: false,
      description: 'Id or slug of the workspace. Used only with a session cookie.',
      schema: { type: 'string' },
    },
  ],
})

export async function adminDocument(
  collected: Collected,
  services: readonly EventService[],
): Promise<object> {
  const schemas = new SchemaComponents('unique')
  const isAdmin = (path: string) => audienceOf(path) === 'admin'
  const found = await describePaths(collected, schemas, isAdmin, buildSlice())
  const paths = mapOperations(found, (operation, path) => ({
    ...operation,
    security: operation.security ?? (PROBES.includes(path) ? NO_CREDENTIALS : ADMIN_SECURITY.security),
  }))
  return openApi(adminText(paths, services), VERSION, {
    paths,
    securitySchemes: ADMIN_SECURITY.schemes,
    schemas,
  })
}

export async function consoleDocument(
  collected: Collected,
  services: readonly EventService[],
): Promise<object> {
  const schemas = new SchemaComponents('unique')
  const isConsole = (path: string) => audienceOf(path) === 'console'
  const found = await describePaths(collected, schemas, isConsole, buildSlice())
  const known = knownEventTypes(schemas, services)
  const paths = mapOperations(found, (operation) => ({
    ...withTypesInQuery(operation, known),
    security: operation.security ?? CONSOLE_SECURITY.security,
  }))
  return openApi(consoleText(paths, services), VERSION, {
    paths,
    securitySchemes: CONSOLE_SECURITY.schemes,
    schemas,
  })
}
