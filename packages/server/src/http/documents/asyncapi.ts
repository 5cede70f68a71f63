import type { EventType, JsonSchema } from '../../core/catalog.ts'
import type { Dialect } from '../../core/dialect.ts'
import { SchemaComponents } from './components.ts'
import { dataSchema } from './events/published.ts'
import { type EventService, headersOf, nameOf, type ServedEvents } from './events/service.ts'
import { LICENSE } from './openapi.ts'

/** Both services' events as one AsyncAPI document: what is sent, as messages rather than as requests. */
export function asyncApi(services: readonly ServedEvents[], version: string): object {
  const schemas = new SchemaComponents()
  const parts = services.map(([service, dialect]) => describeService(schemas, service, dialect))
  const merged = (part: keyof ServiceParts) => Object.assign({}, ...parts.map((one) => one[part])) as object
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Posthorn events',
      version,
      description:
        'Every event that Posthorn sends, by the service that publishes it. The same requests stand under `webhooks` in the OpenAPI documents, which also say how to subscribe and how to verify signatures.',
      license: LICENSE,
    },
    defaultContentType: 'application/json',
    servers: { endpoint: ENDPOINT },
    channels: merged('channels'),
    operations: merged('operations'),
    components: { messages: merged('messages'), schemas: schemas.all() },
  }
}

const ENDPOINT = {
  host: '{host}',
  pathname: '/{path}',
  protocol: 'https',
  title: 'Your endpoint',
  description: 'The URL of a webhook: your server, which Posthorn calls.',
  variables: {
    host: { description: 'A public host name.', default: 'hooks.example.com' },
    path: { description: 'Any path.', default: 'posthorn' },
  },
}

const HTTP_BINDING = { http: { method: 'POST', bindingVersion: '0.3.0' } }

interface ServiceParts {
  readonly channels: object
  readonly operations: object
  readonly messages: object
}

function describeService(schemas: SchemaComponents, service: EventService, dialect: Dialect): ServiceParts {
  const { name, title } = service
  const headers = schemas.define(`${capitalized(name)}Headers`, headersSchema(service))
  const types = [...dialect.catalog.values()]
  const messages = types.map((type) => [nameOf(type), message(schemas, service, dialect, type, headers)])
  const listed = types.map((type) => [nameOf(type), { $ref: `#/components/messages/${nameOf(type)}` }])
  const channel = {
    address: '/{path}',
    title,
    description: `Events of the ${title.toLowerCase()}, each in a request of its own.`,
    servers: [{ $ref: '#/servers/endpoint' }],
    parameters: { path: { description: 'The path of the URL of the webhook.' } },
    messages: Object.fromEntries(listed),
  }
  const operation = {
    action: 'send',
    channel: { $ref: `#/channels/${name}` },
    title: `Send an event of the ${title.toLowerCase()}`,
    description: 'At least once, and not always in order.',
    bindings: HTTP_BINDING,
    messages: types.map((type) => ({ $ref: `#/channels/${name}/messages/${nameOf(type)}` })),
  }
  return {
    channels: { [name]: channel },
    operations: { [`send${capitalized(name)}Event`]: operation },
    messages: Object.fromEntries(messages),
  }
}

const capitalized = (text: string) => text[0]!.toUpperCase() + text.slice(1)

const headersSchema = ({ headers }: EventService): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    headers.map(({ name, description, schema }) => [name, { description, ...schema }]),
  ),
  required: headers.map(({ name }) => name),
})

function message(
  schemas: SchemaComponents,
  service: EventService,
  dialect: Dialect,
  type: EventType,
  headers: JsonSchema,
): object {
  const sample = service.sample(dialect, type)
  return {
    name: type.type,
    title: type.title,
    summary: type.description,
    contentType: 'application/json',
    tags: [{ name: type.group }],
    headers,
    payload: schemas.refer(service.envelope(type, () => dataSchema(schemas, service, type))),
    examples: [
      {
        name: 'signed',
        summary: 'A request with a valid signature',
        headers: headersOf(service, sample),
        payload: JSON.parse(sample.body),
      },
    ],
  }
}
