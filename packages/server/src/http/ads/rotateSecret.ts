import { Type } from 'typebox'
import { guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { ifMatchHeader } from '../shared/etag.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { rotate } from '../shared/webhooks.ts'
import { WebhookWithSecretSchema, webhookParams, webhookWithSecretJson } from './webhook.ts'

const schema = {
  operationId: 'rotateAdsWebhookSecret',
  tags: ['Webhooks'],
  summary: 'Rotate the signing secret',
  description:
    'Returns a new secret, this once. It replaces the old one at once and without overlap, since the signature header holds one value: a receiver must accept both while it changes over. A key rotates the secret only of an endpoint that it registered; an owner who is signed in, of any.',
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
    '/api/v1/webhooks/:id/rotate-secret',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'owners' }) },
    async (request, reply) => {
      return webhookWithSecretJson(await rotate(ctx, request, reply))
    },
  )
}
