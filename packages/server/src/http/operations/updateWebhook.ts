import { Type } from 'typebox'
import type { WebhookUpdateInput } from '../../engine/engine.ts'
import type { Profile } from '../../profiles/profile.ts'
import { ifMatchHeaders } from '../shared/etag.ts'
import { problemResponses, WEBHOOK_CHANGE_PROBLEMS } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { findOwnWebhook, update } from '../shared/webhooks.ts'
import { operation } from './operation.ts'
import { readWebhook, webhookInput, webhookJson, webhookParams, webhookSchema } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

const ENABLED = Type.Optional(Type.Boolean({ description: 'Whether the webhook is enabled.' }))
const PAUSED = Type.Optional(Type.Boolean({ description: 'Whether the webhook is paused.' }))

const EITHER = {
  not: {
    description: 'Both disabled and paused.',
    type: 'object',
    properties: { enabled: { const: false }, paused: { const: true } },
    required: ['enabled', 'paused'],
  },
}

const canPause = ({ operations }: Profile) => operations.pause !== null

function stateText(profile: Profile): readonly string[] {
  if (!profile.webhook.state) return []
  const off = `Disabling ${receiverWords(profile).a} cancels its pending deliveries`
  return [canPause(profile) ? `${off}; pausing holds them.` : `${off}.`]
}

interface Changes {
  readonly enabled?: boolean
  readonly paused?: boolean
}

/** Rejects a contradiction: a webhook is either off or paused. */
function checkEnabledState(
  { enabled, paused }: { readonly enabled?: unknown; readonly paused?: unknown },
  mistakes: Mistakes,
): void {
  if (enabled === false && paused === true) {
    const message = 'cannot be true together with "enabled": false; a webhook is either disabled or paused'
    mistakes.addInstead('/paused', message, '')
  }
}

export const updateWebhook = operation<{ body: Changes }>({
  name: 'updateWebhook',
  method: 'PATCH',
  path: () => '/webhooks/:id',
  access: ({ access }) => ({ scopes: access.change, members: 'owners' }),
  bodyCheck: 'collected',
  schema(service) {
    const { profile } = service
    const { aFull, a, created } = receiverWords(profile)
    const state = { enabled: ENABLED, ...(canPause(profile) ? { paused: PAUSED } : {}) }
    return {
      operationId: `update${serviceTitle(profile)}Webhook`,
      tags: ['Webhooks'],
      summary: `Change ${aFull}`,
      description: [
        'Changes only the given members.',
        ...stateText(profile),
        `A key can change only ${a} that it ${created}; a signed-in owner, any.`,
      ].join(' '),
      params: webhookParams(service),
      headers: ifMatchHeaders,
      body: closed(
        { ...optional(webhookInput(service)), ...(profile.webhook.state ? state : {}) },
        { minProperties: 1, ...(canPause(profile) ? EITHER : {}) },
      ),
      response: {
        200: webhookSchema(service),
        ...problemResponses(
          ...WEBHOOK_CHANGE_PROBLEMS,
          ...(canPause(profile) ? (['webhook_not_on'] as const) : []),
        ),
      },
    }
  },
  async run({ ctx, caller, request, reply, body }) {
    const mistakes = new Mistakes(request)
    const fields = readWebhook(ctx, body, mistakes)
    checkEnabledState(membersOf(body), mistakes)
    const webhook = await findOwnWebhook(ctx, request)
    mistakes.throwIfAny()
    const { enabled, paused } = body
    const changes: WebhookUpdateInput = {
      ...fields,
      ...(enabled === undefined ? {} : { enabled }),
      ...(paused === undefined ? {} : { paused }),
    }
    return webhookJson(ctx, caller, await update(ctx, request, reply, webhook, changes))
  },
})
