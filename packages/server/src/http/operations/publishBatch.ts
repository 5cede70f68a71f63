import { type TSchema, Type } from 'typebox'
import type { ServedProfile } from '../../profiles/compile.ts'
import { BATCH_BODY_LIMIT_BYTES, EVENT_LIMIT_BYTES, PARTS_DESCRIPTION } from '../shared/bodies/limits.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { PUBLISH_PROBLEMS, problemResponses } from '../shared/problems.ts'
import {
  checkPublishQuota,
  MAX_BATCH_EVENTS,
  PublishedBatchSchema,
  prepareBatch,
  publishPrepared,
  refuseEndlessBatch,
  TRACE_DESCRIPTION,
} from '../shared/publishing.ts'
import { closed } from '../shared/schemas.ts'
import { eventToPublish } from './event.ts'
import { operation } from './operation.ts'
import { serviceTitle } from './words.ts'

const schemas = new WeakMap<ServedProfile, TSchema>()

/** Of one event, made once, since each is compiled. */
function eventSchema(service: ServedProfile): TSchema {
  let schema = schemas.get(service)
  if (schema === undefined) {
    schema = eventToPublish(service)
    schemas.set(service, schema)
  }
  return schema
}

export const publishBatch = operation({
  name: 'publishBatch',
  method: 'POST',
  path: () => '/events/batch',
  access: ({ access }) => ({ scopes: access.publish, members: 'none' }),
  bodyLimit: BATCH_BODY_LIMIT_BYTES,
  beforeBody: checkPublishQuota,
  beforeSchema: refuseEndlessBatch,
  bodyCheck: 'own',
  schema: (service) => ({
    operationId: `publish${serviceTitle(service.profile)}Events`,
    tags: ['Events'],
    summary: 'Publish up to 1,000 events',
    description: `The batch is accepted or rejected as a whole. The request body has at most ${BATCH_BODY_LIMIT_BYTES} bytes, and each event in it at most ${EVENT_LIMIT_BYTES}. ${PARTS_DESCRIPTION} ${TRACE_DESCRIPTION}`,
    headers: idempotencyHeaders,
    body: closed({
      events: Type.Array(eventSchema(service), { minItems: 1, maxItems: MAX_BATCH_EVENTS }),
    }),
    response: { 202: PublishedBatchSchema, ...problemResponses(...PUBLISH_PROBLEMS) },
  }),
  async run({ ctx, request, reply }) {
    const events = await prepareBatch({ ctx, request, schema: eventSchema(ctx.dialect) })
    const published = await publishPrepared(ctx, request, reply, events, (position) => `/events/${position}`)
    reply.code(202)
    return { events: published }
  },
})
