import type { Dialect, Dialects } from '../../core/dialect.ts'
import { VERSION } from '../../engine/version.ts'
import type { Collected } from './collect.ts'
import { SchemaComponents } from './components.ts'
import { adsEvents } from './events/ads.ts'
import { contentEvents } from './events/content.ts'
import { describePublished, withPublishedExamples } from './events/published.ts'
import type { EventService } from './events/service.ts'
import { describeWebhooks } from './events/webhooks.ts'
import { describePaths, mapOperations, openApi } from './openapi.ts'
import { ADMIN_SECURITY, NOBODY, SERVICE_SECURITY } from './security.ts'

/** Documents by the path they are served at; plain data. */
export type Documents = ReadonlyMap<string, object>

const SERVICES = [contentEvents, adsEvents]

/** Open to whoever reaches the port: probes and scrapers have no credentials. */
const PROBES = ['/healthz', '/readyz', '/metrics']

type Audience = EventService['name'] | 'admin'

/**
 * Which document a path stands in.
 * @throws Error when there is none for it
 */
function audienceOf(path: string): Audience {
  if (path.startsWith('/v1/')) return 'content'
  if (path.startsWith('/api/v1/')) return 'ads'
  if (path.startsWith('/admin/v1/') || PROBES.includes(path)) return 'admin'
  throw new Error(`no document is meant for the route ${path}: hide it, or say here where it belongs`)
}

/** Makes every document of what was collected. */
export function buildDocuments(collected: Collected, dialects: Dialects): Documents {
  const documents = new Map<string, object>()
  for (const service of SERVICES) {
    const dialect = dialects.get(service.name)
    if (dialect !== undefined) {
      documents.set(`/openapi/${service.name}.json`, serviceDocument(collected, service, dialect))
    }
  }
  documents.set('/openapi/admin.json', adminDocument(collected))
  return documents
}

function serviceDocument(collected: Collected, service: EventService, dialect: Dialect): object {
  const schemas = new SchemaComponents()
  const paths = describePaths(collected, schemas, (path) => audienceOf(path) === service.name)
  describePublished(schemas, service, dialect.catalog)
  const webhooks = describeWebhooks(schemas, service, dialect)
  return openApi({ title: service.title, summary: '', description: '', tags: [] }, VERSION, {
    paths: mapOperations(paths, (operation) => ({
      ...withPublishedExamples(operation, service, dialect.catalog),
      security: operation.security ?? SERVICE_SECURITY.security,
    })),
    webhooks,
    securitySchemes: SERVICE_SECURITY.schemes,
    schemas,
  })
}

function adminDocument(collected: Collected): object {
  const schemas = new SchemaComponents()
  const paths = describePaths(collected, schemas, (path) => audienceOf(path) === 'admin')
  return openApi({ title: 'Operator', summary: '', description: '', tags: [] }, VERSION, {
    paths: mapOperations(paths, (operation, path) => ({
      ...operation,
      security: operation.security ?? (PROBES.includes(path) ? NOBODY : ADMIN_SECURITY.security),
    })),
    securitySchemes: ADMIN_SECURITY.schemes,
    schemas,
  })
}
