import { type Static, Type } from 'typebox'
import type { ShownSecret } from '../../engine/engine.ts'
import type { Webhook, WebhookFields } from '../../storage/rows.ts'
import type { DialectContext } from '../shared/context.ts'
import { closed, eventTypeName, freeText, pathId, targetUrl, time } from '../shared/schemas.ts'
import { signingSecret, signingSecretOmitted } from '../shared/shownOnce.ts'
import { isoTime } from '../shared/time.ts'
import { type Mistakes, membersOf } from '../shared/validation.ts'
import { readFields } from '../shared/webhooks.ts'

const webhookMembers = {
  id: Type.String({ format: 'uuid', description: 'Names the endpoint in paths.' }),
  url: Type.String({
    description: 'Where events are sent, in its normalised form.',
    examples: ['https://hooks.spokewell.com/ads'],
  }),
  types: Type.Array(eventTypeName, { description: 'The event types that it receives; empty: all.' }),
  description: Type.String({ description: 'The label it was given; empty when it has none.' }),
  createdAt: time('When it was created.'),
  updatedAt: time('When it last changed.'),
}

export const WebhookSchema = closed(webhookMembers, { title: 'Endpoint' })

export const WebhookWithSecretSchema = closed(
  {
    ...webhookMembers,
    signingSecret: signingSecret(),
    secretOmitted: signingSecretOmitted,
  },
  { title: 'EndpointWithSecret' },
)

export const webhookParams = closed({ id: pathId('The webhook endpoint.') })

/** The members that a caller may set. */
export const webhookInput = {
  url: targetUrl,
  types: Type.Array(eventTypeName, {
    maxItems: 100,
    uniqueItems: true,
    description: 'The event types to receive; empty for all, also those that come to exist later.',
  }),
  description: freeText('A label of your own.', 1000),
}

/** Reads a body that creates or changes a webhook; what it returns is valid if `mistakes` stays empty. */
export function readWebhook(ctx: DialectContext, body: unknown, mistakes: Mistakes): Partial<WebhookFields> {
  const { url, types, description } = membersOf(body)
  return readFields(ctx, { url, eventTypes: types, description }, '/types', mistakes)
}

export function webhookJson(webhook: Webhook): Static<typeof WebhookSchema> {
  return {
    id: webhook.publicId,
    url: webhook.url,
    types: [...webhook.eventTypes],
    description: webhook.description,
    createdAt: isoTime(webhook.createdAt),
    updatedAt: isoTime(webhook.updatedAt),
  }
}

/** @param made an endpoint, and the secret that was made with it or for it */
export const webhookWithSecretJson = (made: {
  readonly webhook: Webhook
  readonly shown: ShownSecret
}): Static<typeof WebhookWithSecretSchema> => ({
  ...webhookJson(made.webhook),
  signingSecret: made.shown.secret,
  secretOmitted: made.shown.omitted,
})
