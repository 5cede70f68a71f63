import { type Catalog, catalogOf, type EventType, OpenCatalog } from '../core/catalog.ts'
import type { Dialect, ExampleInput } from '../core/dialect.ts'
import { type IdFormat, prefixedFormat, uuidFormat } from '../core/idFormat.ts'
import type { DeliveryPolicy } from '../core/policy.ts'
import { QUOTAS } from '../core/quotas.ts'
import { allowedBy, FORMATS, prefixedIdPattern } from '../core/textForms.ts'
import { Envelope } from './envelope.ts'
import { EventForm } from './eventForm.ts'
import type { IdKind } from './formatParts.ts'
import type { CatalogEntry, Profile, Resending } from './profile.ts'
import { headerWriter, keyMaker, maxSigning, publicKeyMaker, signatureHeaderOf } from './requests.ts'
import { makeSecret, randomBytesFor, shownPart } from './secrets.ts'
import { fillTexts } from './texts.ts'

/** The settings of an operator for a service. Durations in milliseconds; absent ones are as in its profile. */
export interface ServiceSettings {
  /** Waits before the retries; one more attempt than waits is made. */
  readonly waitsMs?: readonly number[]
  /** The receiver's time. */
  readonly timeoutMs?: number
  /** A webhook that fails for this long is disabled; owners are warned at half the time. */
  readonly disableAfterMs?: number
  /** How long a replaced secret still signs. */
  readonly secretOverlapMs?: number
  /** Webhooks in a workspace, if the profile sets no number. */
  readonly maxWebhooks?: number
}

/** A service, ready to publish and to send. */
export interface ServedProfile extends Dialect {
  readonly profile: Profile
  readonly envelope: Envelope
  readonly events: EventForm
}

/** The id of every made-up event, as bytes. */
export const EXAMPLE_ID = Buffer.from('0199703ba8f37c26b51e4f0d92e8a767', 'hex')

/**
 * Compiles a service from its profile, once: the profile is not interpreted for each delivery.
 * @param version 0: it is built in
 */
export function serviceOf(profile: Profile, settings: ServiceSettings, version = 0): ServedProfile {
  const { name, access, limits } = profile
  const envelope = new Envelope(profile)
  const ids = idsOf(profile)
  const signatures = maxSigning(profile)
  return {
    name,
    version,
    profile,
    envelope,
    events: new EventForm(profile),
    catalog: compileCatalog(profile, ids),
    ids,
    policy: policyOf(profile, settings),
    secrets: {
      bytes: randomBytesFor(profile),
      make: (random) => makeSecret(profile, random),
      shown: (stored) => shownPart(profile, stored),
      keyOf: keyMaker(profile),
      publicKey: publicKeyMaker(profile),
      // A header with one signature has no room for that of a replaced secret.
      overlapMs: signatures === 1 ? 0 : (settings.secretOverlapMs ?? profile.policy.secretOverlapMs),
      maxSigning: signatures,
    },
    requestHeaders: headerWriter(profile),
    testEvent: testEventOf(profile, envelope),
    exampleBody: (input) => exampleBody(profile, envelope, ids.event, input),
    limits: {
      webhooksPerWorkspace: limits.webhooks ?? settings.maxWebhooks ?? QUOTAS.webhooks.byDefault,
      webhooksVariable: limits.webhooks === null ? QUOTAS.webhooks.variable : null,
      manualSendsPerMinute: limits.manual_sends_per_minute,
    },
    searchable: profile.searchable,
    scopes: access.keys,
    contentsScope: access.contents,
    signatureHeader: signatureHeaderOf(profile),
  }
}

function idsOf({ prefixes }: Profile): Dialect['ids'] {
  const format = (kind: IdKind) => (prefixes === null ? uuidFormat : prefixedFormat(prefixes[kind]))
  return {
    event: format('event'),
    delivery: format('delivery'),
    workspace: format('workspace'),
    member: format('member'),
    webhook: format('webhook'),
    key: format('key'),
    session: format('session'),
    replay: format('replay'),
    ...(prefixes === null ? BROUGHT_UUIDS : broughtIds(prefixes.event)),
  }
}

const BROUGHT_UUIDS = {
  broughtEventId(id: string): string | null {
    const bytes = uuidFormat.parse(id)
    return bytes === null ? null : uuidFormat.format(bytes)
  },
  broughtEventIdForm: FORMATS.uuid!,
}

function broughtIds(prefix: string) {
  const form = new RegExp(prefixedIdPattern(prefix))
  return {
    broughtEventId: (id: string) => (form.test(id) ? id : null),
    broughtEventIdForm: allowedBy(form.source)!,
  }
}

function policyOf({ policy, operations }: Profile, settings: ServiceSettings): DeliveryPolicy {
  const { gone, exhausted } = policy
  const disableAfterMs =
    policy.disableAfterMs === null ? null : (settings.disableAfterMs ?? policy.disableAfterMs)
  const none = { from: [], attempts: 'one' } as const
  const resend = (one: Resending | null) => (one === null ? none : { from: one.from, attempts: one.attempts })
  return {
    timeoutMs: settings.timeoutMs ?? policy.timeoutMs,
    waitsMs: settings.waitsMs ?? policy.waitsMs,
    jitter: policy.jitter,
    honorsRetryAfter: policy.honorsRetryAfter,
    exhaustedStatus: exhausted,
    resends: {
      redeliver: resend(operations.redeliver),
      replay: resend(operations.replay),
      recover: { from: [exhausted, 'canceled'], attempts: operations.recover?.attempts ?? 'schedule' },
    },
    goneEndsDelivery: gone !== 'retry',
    pauseHolds: policy.pause === 'hold',
    health: {
      goneDisables: gone === 'disable',
      disableAfterMs,
      warnAfterMs: disableAfterMs === null ? null : disableAfterMs / 2,
      early: policy.warn,
    },
  }
}

export function compileCatalog(
  profile: Profile,
  ids: Pick<Dialect['ids'], 'webhook'> = idsOf(profile),
): Catalog {
  const { catalog, test } = profile
  const types = catalog.types.map(typeOf)
  const isListed = types.some(({ type }) => type === test?.type)
  const listed = catalogOf(test === null || isListed ? types : [...types, testTypeOf(test, ids.webhook)])
  return catalog.open ? new OpenCatalog(listed) : listed
}

const typeOf = (entry: CatalogEntry): EventType => ({
  type: entry.type,
  title: entry.title,
  description: entry.description ?? '',
  group: entry.group ?? 'Events',
  schema: entry.schema ?? { type: 'object' },
  members: entry.members ?? {},
  example: entry.example ?? {},
  subscribable: entry.subscribable ?? true,
})

const testTypeOf = ({ type, data }: NonNullable<Profile['test']>, webhooks: IdFormat): EventType => ({
  type,
  title: 'Test event',
  description: 'Sent when a user tests a webhook.',
  group: 'Webhooks',
  schema: { type: 'object' },
  members: {},
  example: fillTexts(data, { webhook_id: webhooks.format(EXAMPLE_ID) }) as EventType['example'],
  subscribable: false,
})

function testEventOf({ test }: Profile, envelope: Envelope): Dialect['testEvent'] {
  if (test === null) return null
  const { type, data, members = {} } = test
  return {
    type,
    compose: ({ eventId, webhookId, workspace, actorId, occurredAt }) => {
      const values = { webhook_id: webhookId, actor: actorId }
      const event = {
        type,
        data: fillTexts(data, values) as Readonly<Record<string, unknown>>,
        members: fillTexts(members, values) as Readonly<Record<string, unknown>>,
      }
      return envelope.prepare(event, workspace, occurredAt)(eventId, occurredAt)
    },
  }
}

function exampleBody(
  profile: Profile,
  envelope: Envelope,
  ids: IdFormat,
  { type, workspace, occurredAt, eventId = ids.format(EXAMPLE_ID) }: ExampleInput,
): string {
  const members = exampleMembers(profile, type.type)
  const filled = fillTexts(members, { 'workspace.slug': workspace.slug }) as Readonly<Record<string, unknown>>
  const event = { type: type.type, data: type.example, members: filled }
  return envelope.prepare(event, workspace, occurredAt)(eventId, occurredAt)
}

/** What made-up events of a type have beside their data. */
export function exampleMembers({ event, catalog }: Profile, type: string): Readonly<Record<string, unknown>> {
  const entry = catalog.types.find((one) => one.type === type)
  const examples = Object.entries(event.members).map(([name, { example }]) => [name, example])
  return { ...Object.fromEntries(examples), ...entry?.example_members, ...entry?.members }
}
