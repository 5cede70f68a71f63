import { Type } from 'typebox'
import { checkTargetUrl } from '../../core/targets/index.ts'
import { ANY_MEMBER, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, BODY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { workspaceParams } from './params.ts'

const schema = {
  operationId: 'checkUrl',
  tags: ['Overviews'],
  summary: 'Check the URL of a webhook',
  description:
    'Checks whether a URL is allowed for a new webhook, for forms that check while a person types. No request is sent and no name is resolved, so an accepted URL can still be unreachable.',
  params: workspaceParams,
  body: closed({
    url: Type.String({
      description: 'Any text.',
      examples: ['https://hooks.spokewell.com/content'],
    }),
  }),
  response: {
    200: closed(
      {
        ok: Type.Boolean({ description: 'Whether a webhook can have this URL.' }),
        url: Type.Optional(Type.String({ description: 'Its normalized form, if it is accepted.' })),
        reason: Type.Optional(
          Type.String({ description: 'What is wrong and what is allowed, if it is rejected.' }),
        ),
      },
      { title: 'UrlCheck' },
    ),
    ...problemResponses(...ANY_MEMBER_PROBLEMS, ...BODY_PROBLEMS),
  },
}

export const checkUrl: Route = (app, ctx) => {
  app.post(
    '/console/v1/workspaces/:ws/url-checks',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const check = checkTargetUrl(request.body.url, ctx.egressRules)
      return check.ok ? { ok: true, url: check.url } : { ok: false, reason: check.reason }
    },
  )
}
