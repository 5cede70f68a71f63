import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { ownMember } from './ownMember.ts'
import { workspaceParams } from './params.ts'
import { PreferencesSchema } from './schemas.ts'

const schema = {
  operationId: 'getPreferences',
  tags: ['Preferences'],
  summary: 'Read your preferences',
  description: 'The e-mail notifications that the signed-in member gets for this workspace.',
  params: workspaceParams,
  response: { 200: PreferencesSchema, ...problemResponses(...ANY_MEMBER_PROBLEMS) },
}

export const getPreferences: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/preferences',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { workspaceId, publicId } = ownMember(callerOf(request))
      const member = await ctx.storage.accounts.getMember({ workspaceId, publicId })
      return { failing_warnings: member?.failingWarnings ?? true }
    },
  )
}
