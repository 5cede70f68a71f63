import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { serviceDocument } from '../../src/http/documents/build.ts'
import { collectOperations } from '../../src/http/documents/collect.ts'
import { type EventService, eventServiceOf } from '../../src/http/documents/events/service.ts'
import { checkProfile } from '../../src/profiles/check.ts'
import { serviceOf } from '../../src/profiles/compile.ts'
import type { ProfileDocument } from '../../src/profiles/format.ts'

const FILES = new URL('../../profiles/', import.meta.url)
const built = (file: string): unknown => JSON.parse(readFileSync(new URL(file, FILES), 'utf8'))

/** The documents of a profile's service, which must be valid. */
export function described(document: unknown): EventService {
  const { errors, profile } = checkProfile(document)
  expect(errors).toEqual([])
  return eventServiceOf(serviceOf(profile!, {}))
}

/** @param as name of the service */
export const withName = (name: string, as = name) =>
  described({ ...(built(`${name}.json`) as ProfileDocument), name: as })

const BILLING: ProfileDocument = {
  profile: 1,
  name: 'billing',
  title: 'Billing',
  catalog: {
    open: false,
    types: [
      {
        type: 'invoice/Paid-2',
        title: 'Invoice paid',
        schema: {
          title: 'EventToPublish',
          type: 'object',
          properties: {
            from: { $ref: '#/$defs/address' },
            to: { $ref: '#/$defs/address', description: 'The payer.' },
          },
          required: ['to'],
          additionalProperties: false,
          $defs: {
            address: {
              type: 'object',
              properties: { city: { type: 'string' }, over: { $ref: '#/$defs/address' } },
              additionalProperties: false,
            },
          },
        },
        example: { to: { city: 'Lisbon', over: { city: 'Porto' } } },
      },
    ],
  },
}

const HARDLY_ANYTHING: ProfileDocument = {
  profile: 1,
  name: 'bare-one',
  title: 'Bare',
  envelope: { bare: true },
  headers: {},
  signatures: [],
  unsigned: true,
  operations: { test: null, redeliver: null, pause: null },
}

/** Uses much of the format. */
const FULL: ProfileDocument = {
  profile: 1,
  name: 'full',
  title: 'Full',
  ids: { style: 'uuid' },
  case: 'camel',
  words: { event: 'fact', resend: 'replay' },
  event: {
    data: 'event',
    time: 'at',
    members: {
      kind: { schema: { type: 'string' }, required: true, example: 'z' },
      actor: { schema: { type: 'string', title: 'Actor', description: 'Who did it.' } },
      parts: { schema: { type: 'array', items: { type: 'integer' } }, required: true, example: [1] },
    },
  },
  envelope: {
    closed: true,
    members: [
      { path: 'meta.id', field: 'id' },
      { path: 'meta.at', field: 'time', as: 'unix-ms' },
      { path: 'meta.type', field: 'type' },
      { path: 'where', field: 'workspace.slug' },
      { path: 'space.id', field: 'workspace.id' },
      { path: 'version', constant: 2 },
      { path: 'body', field: 'data' },
      { path: 'body.kind', field: 'kind' },
      { path: 'body.actor', field: 'actor', otherwise: null },
      { path: 'parts', field: 'parts' },
    ],
  },
  headers: {
    'X-Time': '{timestamp:iso}',
    'X-Attempt': '{attempt}',
    'X-Hook': '{webhook_id}',
    'X-Mixed': '({id}/{delivery_id}) {attempt} {type} of {workspace.slug}, {timestamp:iso}',
    'X-Fixed': 'a+b',
    'X-Sig': '[{timestamp}] {signatures}',
  },
  signatures: [
    {
      content: '{timestamp}:{webhook_id}`{body}',
      algorithm: 'hmac-sha512',
      encoding: 'base64',
      secret: 'hex',
      each: 'a={signature};',
      join: ', ',
      most: 4,
    },
    {
      content: '{webhook_id}.{timestamp}.{body}',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      secret: 'utf8',
      each: 'b.{signature}',
    },
  ],
  secret: { prefix: 's_', encoding: 'hex' },
  operations: { redeliver: null, replay: { from: ['failed'], attempts: 'one' } },
  test: { type: 'test', data: { n: 1 } },
  catalog: {
    open: true,
    types: [
      { type: 'a.b', title: 'One', members: { kind: 'x' }, schema: { type: 'object', maxProperties: 1 } },
      { type: 'a/b', title: 'Two', members: { kind: 'y' }, example: { z: 1 } },
      { type: 'A-b', title: 'Three', members: { kind: 'y' } },
      { type: 'any', title: 'Four', members: { kind: 'y' } },
      { type: '2', title: 'Five', members: { kind: 'y' } },
      { type: '...', title: 'Six', members: { kind: 'y' } },
      { type: 'publish.x', title: 'Seven', members: { kind: 'y' } },
      {
        type: 'x.event.data',
        title: 'Eight',
        members: { kind: 'y' },
        schema: { type: 'object', minProperties: 0 },
      },
      { type: 'x', title: 'Nine', members: { kind: 'y' }, schema: { type: 'object', properties: {} } },
    ],
  },
}

/** The services in the package, and others with more features. */
export const SERVICES: readonly (readonly [name: string, service: EventService])[] = [
  // Operational webhooks have no documents of their own, and a reserved name.
  ...readdirSync(FILES)
    .filter((file) => file !== 'operational.json')
    .map((file) => built(file)),
  BILLING,
  HARDLY_ANYTHING,
  FULL,
].map((document) => [(document as ProfileDocument).name, described(document)])

/** The OpenAPI document of a service. */
export const documentOf = async (service: EventService): Promise<object> =>
  serviceDocument(await collectOperations(service.served), service)
