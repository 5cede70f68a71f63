import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import { changeInStore } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, BODY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { ownMember } from './ownMember.ts'
import { workspaceParams } from './params.ts'
import { PreferencesSchema } from './schemas.ts'

const schema = {
  operationId: 'updatePreferences',
  tags: ['Preferences'],
  summary: 'Change your preferences',
  description: 'Changes the preferences of the signed-in member in this workspace.',
  params: workspaceParams,
  body: PreferencesSchema,
  response: { 200: PreferencesSchema, ...problemResponses(...ANY_MEMBER_PROBLEMS, ...BODY_PROBLEMS) },
}

export const updatePreferences: Route = (app, ctx) => {
  app.patch(
    '/console/v1/workspaces/:ws/preferences',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { workspaceId, publicId } = ownMember(callerOf(request))
      const changes = { failingWarnings: request.body.failing_warnings }
      // Concerns only the member, so it is not in the audit log.
      const { result: updated } = await changeInStore(
        ctx,
        request,
        { call: 'updatePreferences', params: { workspaceId, publicId, changes } },
        null,
      )
      if (updated === null) throw notFound('member')
      return { failing_warnings: updated.member.failingWarnings }
    },
  )
}
