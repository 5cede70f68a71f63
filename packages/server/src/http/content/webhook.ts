import { type Static, Type } from 'typebox'
import type { ShownSecret } from '../../engine/engine.ts'
import type { Webhook, WebhookFields } from '../../storage/rows.ts'
import type { Caller } from '../shared/caller.ts'
import type { DialectContext } from '../shared/context.ts'
import {
  closed,
  eventTypeName,
  freeText,
  nullable,
  oneOf,
  pathId,
  targetUrl,
  time,
} from '../shared/schemas.ts'
import { signingSecret, signingSecretOmitted } from '../shared/shownOnce.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import { type Mistakes, membersOf } from '../shared/validation.ts'
import { readFields } from '../shared/webhooks.ts'
import { ORIGIN_WITHOUT_SCOPE, workspaceParams } from './common.ts'

const webhookMembers = {
  id: Type.String({
    description: 'Names the webhook in paths.',
    examples: ['wh_01k94jv3a6f2m8q0x5s7t9b1cd'],
  }),
  url: Type.String({
    description: `Where events are sent, in its normalised form. ${ORIGIN_WITHOUT_SCOPE}`,
    examples: ['https://hooks.spokewell.com/posthorn'],
  }),
  events: Type.Array(eventTypeName, { description: 'The event types that it receives.' }),
  description: Type.String({ description: 'The label it was given; empty when it has none.' }),
  enabled: Type.Boolean({ description: 'True in every state but `off`.' }),
  status: oneOf(['on', 'off', 'paused'], 'Whether events are sent now.'),
  off_reason: Type.Unsafe<'gone' | 'failing' | 'manual' | null>({
    type: ['string', 'null'],
    enum: ['gone', 'failing', 'manual', null],
    description:
      'Why it is off: the receiver answered 410, it failed for too long, or somebody turned it off.',
  }),
  failing_since: nullable(time('The first failed attempt since the last success.')),
  created_at: time('When it was created.'),
  updated_at: time('When it last changed.'),
  created_by: closed(
    {
      type: oneOf(['member', 'key'], 'A member who was signed in, or an API key.'),
      id: Type.String({ description: 'The member or key.' }),
    },
    { description: 'Who created it.' },
  ),
}

export const WebhookSchema = closed(webhookMembers, { title: 'Webhook' })

export const WebhookWithSecretSchema = closed(
  {
    ...webhookMembers,
    signing_secret: signingSecret({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwPFuXzB6TgF4='] }),
    secret_omitted: signingSecretOmitted,
  },
  { title: 'WebhookWithSecret' },
)

export const webhookParams = closed({ ...workspaceParams.properties, id: pathId('The webhook.') })

/** The members that a caller may set. */
export const webhookInput = {
  url: targetUrl,
  events: Type.Array(eventTypeName, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'The event types to receive. Nobody subscribes to `webhook.test`.',
  }),
  description: freeText('A label of your own.', 1000),
}

/** Reads a body that creates or changes a webhook; what it returns is valid if `mistakes` stays empty. */
export function readWebhook(ctx: DialectContext, body: unknown, mistakes: Mistakes): Partial<WebhookFields> {
  const { url, events, description } = membersOf(body)
  return readFields(ctx, { url, eventTypes: events, description }, '/events', mistakes)
}

export function webhookJson({ visibility }: Caller, webhook: Webhook): Static<typeof WebhookSchema> {
  return {
    id: webhook.publicId,
    url: visibility.url(webhook.url, webhook.createdBy),
    events: [...webhook.eventTypes],
    description: webhook.description,
    enabled: webhook.status !== 'off',
    status: webhook.status,
    off_reason: webhook.offReason,
    failing_since: isoTimeOrNull(webhook.failingSince),
    created_at: isoTime(webhook.createdAt),
    updated_at: isoTime(webhook.updatedAt),
    created_by: { type: webhook.createdBy.type, id: webhook.createdBy.publicId },
  }
}

/** @param made a webhook, and the secret that was made with it or for it */
export const webhookWithSecretJson = (
  caller: Caller,
  { webhook, shown }: { readonly webhook: Webhook; readonly shown: ShownSecret },
): Static<typeof WebhookWithSecretSchema> => ({
  ...webhookJson(caller, webhook),
  signing_secret: shown.secret,
  secret_omitted: shown.omitted,
})
