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
    'Holds a URL against the very rules by which a webhook is created, for forms that answer while somebody types. Nothing is sent anywhere, and no name is looked up: a URL that is fine here may still be one that cannot be reached.',
  params: workspaceParams,
  body: closed({
    url: Type.String({
      description: 'Any text, right or wrong.',
      examples: ['https://hooks.spokewell.com/content'],
    }),
  }),
  response: {
    200: closed(
      {
        ok: Type.Boolean({ description: 'Whether a webhook may have it.' }),
        url: Type.Optional(Type.String({ description: 'Its normalised form, when it is fine.' })),
        reason: Type.Optional(
          Type.String({ description: 'What is wrong with it and what would be right, when it is not.' }),
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
