import { EVENT_LIMIT_BYTES, PARTS_DESCRIPTION } from '../shared/bodies/limits.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { PUBLISH_PROBLEMS, problemResponses } from '../shared/problems.ts'
import {
  checkEvent,
  checkPublishQuota,
  PublishedSchema,
  prepareEvent,
  publishPrepared,
  TRACE_DESCRIPTION,
} from '../shared/publishing.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { eventToPublish } from './event.ts'
import { operation } from './operation.ts'
import { serviceTitle } from './words.ts'

export const publishEvent = operation({
  name: 'publishEvent',
  method: 'POST',
  path: () => '/events',
  access: ({ access }) => ({ scopes: access.publish, members: 'none' }),
  bodyLimit: EVENT_LIMIT_BYTES,
  beforeBody: checkPublishQuota,
  bodyCheck: 'collected',
  schema: (service) => ({
    operationId: `publish${serviceTitle(service.profile)}Event`,
    tags: ['Events'],
    summary: 'Publish an event',
    description: `The response comes once the event and its deliveries are stored durably. The request body has at most ${EVENT_LIMIT_BYTES} bytes. ${PARTS_DESCRIPTION} ${TRACE_DESCRIPTION}`,
    headers: idempotencyHeaders,
    body: eventToPublish(service),
    response: { 202: PublishedSchema, ...problemResponses(...PUBLISH_PROBLEMS) },
  }),
  async run({ ctx, caller: { workspace }, request, reply, body }) {
    const mistakes = new Mistakes(request)
    const event = membersOf(body)
    const checked = checkEvent(ctx, event, '', mistakes)
    mistakes.throwIfAny()
    const prepared = prepareEvent(ctx, workspace, event, checked)
    const [published] = await publishPrepared(ctx, request, reply, [prepared], () => '')
    reply.code(202)
    return published!
  },
})
