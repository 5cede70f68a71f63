import { findEvent } from '../shared/feed.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { eventParams, eventViewOf } from './event.ts'
import { operation } from './operation.ts'
import { contentsNeed } from './texts.ts'
import { scopesText, serviceTitle } from './words.ts'

export const getEvent = operation({
  name: 'getEvent',
  method: 'GET',
  path: () => '/events/:id',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  hasOpenMembers: true,
  schema(service) {
    const { profile } = service
    const view = eventViewOf(service)
    return {
      operationId: `get${serviceTitle(profile)}Event`,
      tags: ['Events'],
      summary: 'Read an event',
      description: `As webhooks receive it${view.bodyHasId ? '' : ', with its id'}. Needs ${scopesText(profile.access.read)}${contentsNeed(profile)}.`,
      params: eventParams,
      response: { 200: view.schema(), ...problemResponses(...KEY_PROBLEMS) },
    }
  },
  async run({ ctx, caller, params }) {
    const event = await findEvent(ctx, caller.workspace, params.id!)
    return eventViewOf(ctx.dialect).json(ctx, caller, event)
  },
})
