import { type TProperties, type TSchema, Type } from 'typebox'
import { LIMIT_BOUNDS } from '../../core/limit.ts'
import type { ShownSecret } from '../../engine/engine.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { isPrefixed } from '../../profiles/profile.ts'
import { hasKeyPair } from '../../profiles/secrets.ts'
import type { Webhook, WebhookFields } from '../../storage/rows.ts'
import { backlogJson, backlogSchema } from '../shared/backlogs.ts'
import type { Caller } from '../shared/caller.ts'
import type { ServiceContext } from '../shared/context.ts'
import { newestPublicKey } from '../shared/publicKeys.ts'
import { eventTypeName, freeText, nullable, oneOf, pathId, targetUrl, time } from '../shared/schemas.ts'
import { signingSecret, signingSecretOmitted } from '../shared/shownOnce.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import { type Mistakes, membersOf } from '../shared/validation.ts'
import { readFields } from '../shared/webhooks.ts'
import { originWithoutScope, titled } from './texts.ts'
import { readWarning, warningInput, warningJson, warningMembers } from './warning.ts'
import { receiverWords } from './words.ts'

const STATE: TProperties = {
  enabled: Type.Boolean({ description: 'Whether it is enabled: true in every state except `off`.' }),
  status: oneOf(['on', 'off', 'paused'], 'Whether events are sent now.'),
  off_reason: Type.Unsafe<'gone' | 'failing' | 'manual' | null>({
    type: ['string', 'null'],
    enum: ['gone', 'failing', 'manual', null],
    description:
      'Why it is disabled: the receiver answered 410, the webhook failed for too long, or a person disabled it.',
  }),
}

const LIMIT: TProperties = {
  max_per_second: nullable(
    Type.Number({ description: 'Maximum attempts per second. Null: no limit.', examples: [5] }),
  ),
  max_in_flight: nullable(
    Type.Integer({
      description: 'Maximum concurrent attempts. Null: only the limit of the operator applies.',
    }),
  ),
}

const CREATED_BY = Type.Object(
  {
    type: oneOf(['member', 'key'], 'A signed-in member, or an API key.'),
    id: Type.String({ description: 'The member or key.' }),
  },
  { additionalProperties: false, description: 'Who created it.' },
)

function members({ profile }: ServedProfile): Record<string, TSchema> {
  const { one, exampleUrl } = receiverWords(profile)
  const { state, allTypes } = profile.webhook
  const id = { description: `Identifies the ${one} in paths.` }
  return {
    id: isPrefixed(profile)
      ? Type.String({ ...id, examples: [`${profile.prefixes.webhook}01k94jv3a6f2m8q0x5s7t9b1cd`] })
      : Type.String({ format: 'uuid', ...id }),
    url: Type.String({
      description: ['The URL that receives events, normalized.', ...originWithoutScope(profile)].join(' '),
      examples: [exampleUrl],
    }),
    [profile.words.types!]: Type.Array(eventTypeName, {
      description: `The event types that it receives${allTypes ? '; empty: all' : ''}.`,
    }),
    description: Type.String({ description: 'Your own label; can be empty.' }),
    ...LIMIT,
    ...warningMembers,
    ...(state ? STATE : {}),
    failing_since: nullable(time('The first failed attempt since the last success.')),
    created_at: time('When it was created.'),
    updated_at: time('When it last changed.'),
    ...(state ? { created_by: CREATED_BY } : {}),
  }
}

export const webhookSchema = (service: ServedProfile) =>
  titled(service, 'Webhook', receiverWords(service.profile).title, members(service))

/** A webhook as it is read alone: with what waits for it, and its public key, if the service signs with key pairs. */
export const webhookReadSchema = (service: ServedProfile) =>
  titled(service, 'WebhookDetails', `${receiverWords(service.profile).title}Details`, {
    ...members(service),
    backlog: backlogSchema,
    ...(hasKeyPair(service.profile)
      ? { public_key: publicKey(service, 'Null: the secret was created before this service used key pairs.') }
      : {}),
  })

export function webhookWithSecretSchema(service: ServedProfile) {
  const { profile } = service
  return titled(service, 'WebhookWithSecret', `${receiverWords(profile).title}WithSecret`, {
    ...members(service),
    ...(hasKeyPair(profile) ? { public_key: publicKey(service, 'Null if `secret_omitted` is not.') } : {}),
    signing_secret: secretSchema(service),
    secret_omitted: signingSecretOmitted,
  })
}

function publicKey({ secrets }: ServedProfile, whenNull: string) {
  const description = `Verifies the Ed25519 signatures of its newest secret: \`whpk_\` and the base64 of 32 bytes. ${whenNull}`
  return nullable(Type.String({ description, examples: [secrets.publicKey(exampleOf(secrets))] }))
}

function secretSchema({ profile, secrets }: ServedProfile) {
  const example = secrets.shown(exampleOf(secrets))
  if (example === null)
    return nullable(
      Type.String({ description: 'Always null: all signatures are verified with `public_key`.' }),
    )
  return signingSecret(isPrefixed(profile) ? { examples: [example] } : {})
}

/** Of no webhook. */
const exampleOf = ({ bytes, make }: ServedProfile['secrets']) => make(Buffer.alloc(bytes, EXAMPLE_SECRET))
const EXAMPLE_SECRET = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwPFuXzB6TgF4=', 'base64')

export const webhookParams = ({ profile }: ServedProfile) => ({
  id: pathId(`The ${receiverWords(profile).full}.`),
})

/** The members that a caller may set. */
export function webhookInput({ profile, testEvent }: ServedProfile) {
  const { allTypes } = profile.webhook
  const description = allTypes
    ? 'The event types to receive; empty for all, including future ones.'
    : `The event types to receive.${testEvent === null ? '' : ` You cannot subscribe to \`${testEvent.type}\`.`}`
  const types = Type.Array(eventTypeName, {
    ...(allTypes ? {} : { minItems: 1 }),
    maxItems: 100,
    uniqueItems: true,
    description,
  })
  return {
    url: targetUrl,
    [profile.words.types!]: types,
    description: freeText('Your own label.', 1000),
    max_per_second: nullable(
      Type.Number({
        minimum: LIMIT_BOUNDS.maxPerSecond.least,
        maximum: LIMIT_BOUNDS.maxPerSecond.most,
        description:
          'Maximum attempts per second, including retries and tests, with up to three decimals. 0.5: one attempt in two seconds. Null: no limit.',
        examples: [5],
      }),
    ),
    max_in_flight: nullable(
      Type.Integer({
        minimum: LIMIT_BOUNDS.maxInFlight.least,
        maximum: LIMIT_BOUNDS.maxInFlight.most,
        description:
          "Maximum concurrent attempts. The operator's limit for every webhook also applies. Null: only the operator's limit.",
        examples: [2],
      }),
    ),
    ...warningInput(profile),
  }
}

/** Reads a body that creates or changes a webhook; what it returns is valid if `mistakes` stays empty. */
export function readWebhook(ctx: ServiceContext, body: unknown, mistakes: Mistakes): Partial<WebhookFields> {
  const {
    url,
    description,
    max_per_second: maxPerSecond,
    max_in_flight: maxInFlight,
    warn,
    snoozed_until,
    ...others
  } = membersOf(body)
  const types = ctx.dialect.profile.words.types!
  const fields = { url, eventTypes: others[types], description, maxPerSecond, maxInFlight }
  const read = readFields(ctx, fields, `/${types}`, mistakes)
  return { ...read, ...readWarning(ctx, { warn, snoozed_until }, mistakes) }
}

export function webhookJson({ dialect }: ServiceContext, { visibility }: Caller, webhook: Webhook): object {
  return {
    id: webhook.publicId,
    url: visibility.url(webhook.url, webhook.createdBy),
    [dialect.profile.words.types!]: [...webhook.eventTypes],
    description: webhook.description,
    max_per_second: webhook.maxPerSecond,
    max_in_flight: webhook.maxInFlight,
    ...warningJson(webhook),
    enabled: webhook.status !== 'off',
    status: webhook.status,
    off_reason: webhook.offReason,
    failing_since: isoTimeOrNull(webhook.failingSince),
    created_at: isoTime(webhook.createdAt),
    updated_at: isoTime(webhook.updatedAt),
    created_by: { type: webhook.createdBy.type, id: webhook.createdBy.publicId },
  }
}

/** Adds what waits because of its limit and, where the service signs with key pairs, the public key. */
export async function webhookReadJson(
  ctx: ServiceContext,
  caller: Caller,
  webhook: Webhook,
): Promise<object> {
  const json = {
    ...webhookJson(ctx, caller, webhook),
    backlog: backlogJson(await ctx.engine.backlogOf(webhook)),
  }
  if (!hasKeyPair(ctx.dialect.profile)) return json
  return { ...json, public_key: await newestPublicKey(ctx, webhook.publicId) }
}

/** @param made a webhook, and the secret that was made with it or for it */
export const webhookWithSecretJson = (
  ctx: ServiceContext,
  caller: Caller,
  { webhook, shown }: { readonly webhook: Webhook; readonly shown: ShownSecret },
): object => ({
  ...webhookJson(ctx, caller, webhook),
  ...(hasKeyPair(ctx.dialect.profile) ? { public_key: shown.publicKey } : {}),
  signing_secret: shown.secret,
  secret_omitted: shown.omitted,
})
