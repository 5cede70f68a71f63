import { idempotencyHeaders } from '../shared/changes.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes } from '../shared/validation.ts'
import { create } from '../shared/webhooks.ts'
import { pathIn } from './layout.ts'
import { operation } from './operation.ts'
import { readWebhook, webhookInput, webhookWithSecretJson, webhookWithSecretSchema } from './webhook.ts'
import { receiverWords, scopesText, serviceTitle } from './words.ts'

export const createWebhook = operation({
  name: 'createWebhook',
  method: 'POST',
  path: () => '/webhooks',
  access: ({ access }) => ({ scopes: access.create, members: 'owners' }),
  bodyCheck: 'collected',
  schema(service) {
    const { profile } = service
    const { create: verb, aFull, many } = receiverWords(profile)
    const input = webhookInput(service)
    const types = profile.words.types!
    const most = profile.limits.webhooks
    return {
      operationId: `create${serviceTitle(profile)}Webhook`,
      tags: ['Webhooks'],
      summary: `${verb} ${aFull}`,
      description: [
        `Needs ${scopesText(profile.access.create)}, or a signed-in owner.`,
        ...(most === null ? [] : [`A workspace has at most ${most} ${many}.`]),
      ].join(' '),
      headers: idempotencyHeaders,
      body: closed({
        ...optional(input),
        url: input.url,
        ...(profile.webhook.allTypes ? {} : { [types]: input[types]! }),
      }),
      response: {
        201: webhookWithSecretSchema(service),
        ...problemResponses(
          ...KEY_PROBLEMS,
          ...CREATE_PROBLEMS,
          'role_missing',
          'webhook_limit_reached',
          'quota_exceeded',
        ),
      },
    }
  },
  async run({ ctx, caller, request, reply, params, body }) {
    const mistakes = new Mistakes(request)
    const input = readWebhook(ctx, body, mistakes)
    mistakes.throwIfAny()
    const made = await create(ctx, request, reply, input)
    const location = pathIn(ctx.dialect.profile.paths, params.ws, `/webhooks/${made.webhook.publicId}`)
    reply.code(201).header('location', location)
    return webhookWithSecretJson(ctx, caller, made)
  },
})
