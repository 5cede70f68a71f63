import { VERSION } from '../../engine/attempt/version.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { asyncApi } from './asyncapi.ts'
import type { Collected } from './collect.ts'
import { SchemaComponents } from './components.ts'
import { describePublished, publishesEvents, withPublishedExamples } from './events/published.ts'
import { type EventService, eventServiceOf } from './events/service.ts'
import { withEventTypes, withTypesInQuery } from './events/subscribed.ts'
import { describeWebhooks } from './events/webhooks.ts'
import { eventSchema, profileSchema, schemaIndex, schemaPath } from './jsonSchemas.ts'
import type { Operation } from './objects.ts'
import { describePaths, mapOperations, openApi } from './openapi.ts'
import { ADMIN_SECURITY, CONSOLE_SECURITY, NOBODY, PUBLISHER_SECURITY, SERVICE_SECURITY } from './security.ts'
import { adminText } from './texts/admin.ts'
import { consoleText } from './texts/console.ts'
import { serviceText } from './texts/service.ts'

/** Documents by the path they are served at; plain data. */
export type Documents = ReadonlyMap<string, object>

/** The services that run here, by name. */
export type ServedProfiles = ReadonlyMap<string, ServedProfile>

/** Open to whoever reaches the port: probes and scrapers have no credentials. */
const PROBES = ['/healthz', '/readyz', '/metrics']

type Audience = 'admin' | 'console'

/**
 * Which document a path stands in.
 * @throws Error when there is none for it
 */
function audienceOf(path: string): Audience {
  if (path.startsWith('/console/v1/')) return 'console'
  if (path.startsWith('/admin/v1/') || PROBES.includes(path)) return 'admin'
  throw new Error(`no document is meant for the route ${path}: hide it, or say here where it belongs`)
}

/** Where the OpenAPI documents are served, and what people call them. */
export const openApiDocuments = (profiles: ServedProfiles) => [
  ...[...profiles.values()].map(({ profile: { name, title } }) => ({
    url: `/openapi/${name}.json`,
    name: title,
  })),
  { url: '/openapi/admin.json', name: 'Provisioning and operations' },
  { url: '/openapi/console.json', name: 'Console' },
]

/**
 * Makes every document.
 * @param collected the routes that belong to no service
 * @param operationsOf what was collected of the operations of a service
 */
export async function buildDocuments(
  collected: Collected,
  profiles: ServedProfiles,
  operationsOf: (service: ServedProfile) => Promise<Collected>,
): Promise<Documents> {
  const documents = new Map<string, object>()
  const services = [...profiles.values()].map(eventServiceOf)
  for (const service of services) {
    const operations = await operationsOf(service.served)
    documents.set(`/openapi/${service.name}.json`, serviceDocument(operations, service))
    for (const type of service.types) {
      documents.set(schemaPath(service, type), eventSchema(service, type))
    }
  }
  documents.set('/openapi/admin.json', adminDocument(collected, services))
  documents.set('/openapi/console.json', consoleDocument(collected, services))
  documents.set('/asyncapi.json', asyncApi(services, VERSION))
  documents.set('/schemas/index.json', schemaIndex(services))
  documents.set('/schemas/profile.json', profileSchema())
  return documents
}

/** @param collected the operations of the service */
export function serviceDocument(collected: Collected, service: EventService): object {
  const schemas = new SchemaComponents()
  const found = describePaths(collected, schemas, () => true)
  describePublished(schemas, service)
  const webhooks = describeWebhooks(schemas, service)
  const paths = mapOperations(found, (operation, path) => {
    const publishes = publishesEvents(operation, service)
    const { security } = publishes ? PUBLISHER_SECURITY : SERVICE_SECURITY
    const described = publishes
      ? withPublishedExamples(operation, service)
      : withEventTypes(operation, schemas, service)
    const secured = { ...described, security: operation.security ?? security }
    const isOpen = operation.security?.length === 0
    return publishes || isOpen || path.includes('{ws}') ? secured : withWorkspaceHeader(secured)
  })
  return openApi(serviceText(service, paths, webhooks), VERSION, {
    paths,
    webhooks,
    securitySchemes: SERVICE_SECURITY.schemes,
    schemas,
  })
}

/** Where no path says so, a session of a browser has to name the workspace that is meant. */
const withWorkspaceHeader = (operation: Operation): Operation => ({
  ...operation,
  parameters: [
    ...(operation.parameters ?? []),
    {
      name: 'posthorn-workspace',
      in: 'header',
      required: false,
      description: 'Id or slug of the workspace that is meant. Read beside the cookie of a session alone.',
      schema: { type: 'string' },
    },
  ],
})

function adminDocument(collected: Collected, services: readonly EventService[]): object {
  const schemas = new SchemaComponents()
  const found = describePaths(collected, schemas, (path) => audienceOf(path) === 'admin')
  const paths = mapOperations(found, (operation, path) => ({
    ...operation,
    security: operation.security ?? (PROBES.includes(path) ? NOBODY : ADMIN_SECURITY.security),
  }))
  return openApi(adminText(paths, services), VERSION, {
    paths,
    securitySchemes: ADMIN_SECURITY.schemes,
    schemas,
  })
}

function consoleDocument(collected: Collected, services: readonly EventService[]): object {
  const schemas = new SchemaComponents()
  const found = describePaths(collected, schemas, (path) => audienceOf(path) === 'console')
  const paths = mapOperations(found, (operation) => ({
    ...withTypesInQuery(operation, schemas, services),
    security: operation.security ?? CONSOLE_SECURITY.security,
  }))
  return openApi(consoleText(paths, services), VERSION, {
    paths,
    securitySchemes: CONSOLE_SECURITY.schemes,
    schemas,
  })
}
