import { callerOf, keyGuard } from '../shared/auth.ts'
import { EVENT_LIMIT_BYTES } from '../shared/body.ts'
import type { DialectRoute } from '../shared/context.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { checkEvent, membersOf, PublishedSchema, publishPrepared } from '../shared/publishing.ts'
import { Mistakes } from '../shared/validation.ts'
import { AdsEventSchema, adsMembers, prepareAdsEvent } from './event.ts'

const schema = {
  operationId: 'publishAdsEvent',
  tags: ['Events'],
  summary: 'Publish an event',
  description: `Answers once the event and its deliveries survive a power cut. The request body has at most ${EVENT_LIMIT_BYTES} bytes.`,
  body: AdsEventSchema,
  response: {
    202: PublishedSchema,
    ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'event_id_conflict'),
  },
}

export const publishEvent: DialectRoute = (app, ctx) => {
  app.post(
    '/api/v1/events',
    {
      schema,
      bodyLimit: EVENT_LIMIT_BYTES,
      attachValidation: true,
      onRequest: keyGuard(ctx, { dialect: 'ads', scopes: ['events:write'] }),
    },
    async (request, reply) => {
      const { workspace } = callerOf(request)
      const mistakes = new Mistakes(request)
      const checked = checkEvent(ctx, membersOf(request.body), adsMembers, '', mistakes)
      mistakes.throwIfAny()
      const event = prepareAdsEvent(workspace, request.body, checked)
      const [published] = await publishPrepared(ctx, workspace, [event], () => '')
      reply.code(202)
      return published!
    },
  )
}
