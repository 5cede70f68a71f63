import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { ifMatchHeader } from '../shared/etag.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { rotate } from '../shared/webhooks.ts'
import { WebhookWithSecretSchema, webhookParams, webhookWithSecretJson } from './webhook.ts'

const schema = {
  operationId: 'rotateContentWebhookSecret',
  tags: ['Webhooks'],
  summary: 'Rotate the signing secret',
  description:
    'Returns a new secret, this once. For 24 hours, unless the operator chose another time, every request is signed with both, the new one first; if it is rotated again meanwhile, with up to 16, the newest. A key rotates the secret only of a webhook that it created; an owner who is signed in, of any.',
  params: webhookParams,
  headers: Type.Object({ ...idempotencyHeaders.properties, ...ifMatchHeader }),
  response: {
    200: WebhookWithSecretSchema,
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...CREATE_PROBLEMS,
      'role_missing',
      'not_creator',
      'version_mismatch',
      'quota_exceeded',
    ),
  },
}

export const rotateSecret: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/webhooks/:id/rotate-secret',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'owners' }) },
    async (request, reply) => {
      const rotated = await rotate(ctx, request, reply)
      return webhookWithSecretJson(callerOf(request), rotated)
    },
  )
}
