import { Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import type { Workspace } from '../../storage/rows.ts'
import { adminGuard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { Context, Route } from '../shared/context.ts'
import { hashCredential, newCredential } from '../shared/credentials.ts'
import { CREATE_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { closed, instant, label, reference } from '../shared/schemas.ts'
import { changeWithSecret } from '../shared/shownOnce.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { checkExpiry } from './expiry.ts'
import { findMember, findWorkspace } from './find.ts'
import { keyJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, KeyWithSecretSchema, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'createKey',
  tags: ['Provisioning'],
  summary: 'Create an API key',
  description: 'Only this response has the key itself: the service stores a hash.',
  params: workspaceParams,
  headers: idempotencyHeaders,
  body: closed({
    name: label('Name of the key in the list and in the audit log.', 200),
    scopes: Type.Array(Type.String({ pattern: FORMS.scope.pattern, description: 'The name of a scope.' }), {
      minItems: 1,
      uniqueItems: true,
      maxItems: 10,
      examples: [['webhooks', 'events:write']],
      description:
        'What the key can do: scopes of the service of the workspace, such as `webhooks` and `events:write`.',
    }),
    member_id: Type.Optional(
      reference('The member that the key is for. A key for an owner can read the audit log.'),
    ),
    expires_at: Type.Optional(instant('When it stops working. Default: never.', '2027-03-14T00:00:00Z')),
  }),
  response: { 201: KeyWithSecretSchema, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...CREATE_PROBLEMS) },
}

export const createKey: Route = (app, ctx) => {
  app.post(
    '/admin/v1/workspaces/:ws/keys',
    { schema, attachValidation: true, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const mistakes = new Mistakes(request)
      const input = membersOf(request.body)
      checkScopes(dialectOf(ctx.dialects, workspace.dialect).scopes, input.scopes, mistakes)
      const memberId = await checkMember(ctx, workspace, input.member_id, mistakes)
      const expiresAt = checkExpiry(ctx, input.expires_at, mistakes)
      mistakes.throwIfAny()
      const key = newCredential('key')
      const publicId = ctx.engine.ids.create(workspace.dialect, 'key')
      const { name, scopes } = request.body
      const { result, text, omitted } = await changeWithSecret(
        ctx,
        request,
        {
          call: 'createKey',
          params: {
            publicId,
            workspaceId: workspace.id,
            memberId,
            name,
            scopes,
            hash: hashCredential(key),
            expiresAt,
            now: ctx.clock.now(),
          },
        },
        {
          workspacePublicId: workspace.publicId,
          action: 'key.created',
          target: { type: 'key', id: publicId },
          details: { name, scopes },
        },
        { text: key, owner: workspace.publicId },
      )
      if (result === null) throw notFound('workspace')
      reply.code(201).header('location', `/admin/v1/workspaces/${workspace.publicId}/keys/${result.publicId}`)
      return { ...keyJson(result), key: text, secret_omitted: omitted }
    },
  )
}

function checkScopes(known: readonly string[], scopes: unknown, mistakes: Mistakes): void {
  if (!Array.isArray(scopes)) return
  scopes.forEach((scope, index) => {
    if (typeof scope === 'string' && !known.includes(scope)) {
      mistakes.addInstead(`/scopes/${index}`, `must be one of ${known.join(', ')}`)
    }
  })
}

async function checkMember(
  ctx: Context,
  workspace: Workspace,
  id: unknown,
  mistakes: Mistakes,
): Promise<number | null> {
  if (typeof id !== 'string') return null
  const member = await findMember(ctx, workspace, id)
  if (member === null) mistakes.add('/member_id', 'is not a member of this workspace')
  return member?.id ?? null
}
