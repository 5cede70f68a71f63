import type { JsonSchema } from '../../core/catalog.ts'
import { serviceTitle } from '../operations/words.ts'
import type { Slice } from '../shared/bodies/turns.ts'
import { sampleOf } from '../shared/sampleRequests.ts'
import { SchemaComponents } from './components.ts'
import { envelopeSchema } from './events/envelopeSchema.ts'
import { Names } from './events/names.ts'
import { dataSchema } from './events/published.ts'
import { headerValues } from './events/samples.ts'
import { type DescribedType, describedTypes, type EventService } from './events/service.ts'
import { LICENSE } from './openapi.ts'
import { buildSlice } from './turns.ts'

/**
 * The events of all services as one AsyncAPI document: messages rather than requests.
 * @param onLeftOut called for a service that cannot be described and is left out
 */
export async function asyncApi(
  services: readonly EventService[],
  version: string,
  onLeftOut: (error: unknown, service: string) => void,
): Promise<object> {
  const shared = {
    schemas: new SchemaComponents('numbered'),
    services: new Names(),
    messages: new Names(),
    slice: buildSlice(),
  }
  const parts: ServiceParts[] = []
  for (const service of services) {
    try {
      parts.push(await describeService(shared, service))
    } catch (error) {
      onLeftOut(error, service.name)
    }
  }
  const merged = (part: keyof ServiceParts) => Object.assign({}, ...parts.map((one) => one[part])) as object
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Posthorn events',
      version,
      description:
        'Every event that Posthorn sends, by the service that publishes it. The same requests are under `webhooks` in the OpenAPI documents, which also say how to subscribe and how to verify signatures.',
      license: LICENSE,
    },
    defaultContentType: 'application/json',
    servers: { endpoint: ENDPOINT },
    channels: merged('channels'),
    operations: merged('operations'),
    components: { messages: merged('messages'), schemas: shared.schemas.all() },
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

/** Shared by the services in one document. */
interface Shared {
  readonly schemas: SchemaComponents
  readonly services: Names
  readonly messages: Names
  readonly slice: Slice
}

interface ServiceParts {
  readonly channels: object
  readonly operations: object
  readonly messages: object
}

async function describeService(
  { schemas, slice, ...names }: Shared,
  service: EventService,
): Promise<ServiceParts> {
  const { name, title, phrase } = service
  const prefix = names.services.take(serviceTitle(service.served.profile))
  const headers = schemas.named(`${prefix}Headers`, headersSchema(service))
  // Another service may have a type of the same name.
  const types = describedTypes(service).map((type) => ({
    ...type,
    name: names.messages.take(type.name, prefix + type.name),
  }))
  const messages: [string, object][] = []
  for (const type of types) {
    if (slice.isOver) await slice.next()
    messages.push([type.name, message(schemas, service, type, headers)])
  }
  const listed = types.map((type) => [type.name, { $ref: `#/components/messages/${type.name}` }])
  const channel = {
    address: '/{path}',
    title,
    description: `Events of ${phrase}, each in a separate request.`,
    servers: [{ $ref: '#/servers/endpoint' }],
    parameters: { path: { description: 'The path of the URL of the webhook.' } },
    messages: Object.fromEntries(listed),
  }
  const operation = {
    action: 'send',
    channel: { $ref: `#/channels/${name}` },
    title: `Send an event of ${phrase}`,
    description: 'At least once, and not always in order.',
    bindings: HTTP_BINDING,
    messages: types.map((type) => ({ $ref: `#/channels/${name}/messages/${type.name}` })),
  }
  return {
    channels: { [name]: channel },
    operations: { [`send${prefix}Event`]: operation },
    messages: Object.fromEntries(messages),
  }
}

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
  type: DescribedType,
  headers: JsonSchema,
): object {
  const sample = sampleOf(service.served, type)
  const payload = envelopeSchema(service, type, () => dataSchema(schemas, service, type))
  const example =
    service.served.signatureHeader === null
      ? { name: 'request', summary: 'A whole request' }
      : { name: 'signed', summary: 'A request with a valid signature' }
  return {
    name: type.key,
    title: type.title,
    summary: type.description,
    contentType: 'application/json',
    tags: [{ name: type.group }],
    headers,
    payload: schemas.named(payload.title as string, payload),
    examples: [
      {
        ...example,
        headers: headerValues(service, sample),
        payload: JSON.parse(sample.body),
      },
    ],
  }
}
