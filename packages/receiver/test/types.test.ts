import { expect, expectTypeOf, test } from 'vitest'
import ads from '../../server/profiles/ads.json' with { type: 'json' }
import content from '../../server/profiles/content.json' with { type: 'json' }
import stripe from '../../server/profiles/stripe.json' with { type: 'json' }
import type {
  AdsEvent,
  AdsEventPayload,
  CampaignStatus,
  ContentEvent,
  ContentEventData,
  ContentGeneration,
  JsonObject,
  NodeRequest,
  RawBody,
  Receiver,
  ServiceReceiver,
  StandardEnvelope,
  StandardEvent,
  StandardReceiver,
  VerificationErrorCode,
  VerifiedServiceEvent,
  VerifiedStandardEvent,
  WebhookHeaders,
  WebhookRequest,
  WebhookVerificationError,
} from '../src/index.ts'
import { createReceiver } from '../src/index.ts'
import {
  type AnyProfileEvent,
  type ProfileDocument,
  type ProfileEvent,
  profileScheme,
  type VerifiedProfileEvent,
  type VerifiedProfileMessage,
} from '../src/profile.ts'
import { ADS_EVENT, CONTENT_EVENT, SERVICE_SECRET, STANDARD_SECRET, untyped } from './support.ts'

// `tsc` checks these; at run time they test little.

function describeContent(event: ContentEvent): string {
  switch (event.type) {
    case 'version.approved':
      expectTypeOf(event).toExtend<StandardEnvelope<'version.approved', { readonly version_id: string }>>()
      expectTypeOf(event.data.generation).toEqualTypeOf<ContentGeneration>()
      expectTypeOf(event.data.actor_id).toEqualTypeOf<string | undefined>()
      return `${event.data.version_id} ${event.data.via}`
    case 'publication.published':
      return event.data.publication.url
    case 'schedule.cancel_required':
      return event.data.subject_id
    case 'comment.created':
      expectTypeOf(event.data).toEqualTypeOf<ContentEventData>()
      expectTypeOf(event.data.comment).toEqualTypeOf<unknown>()
      return event.data.workspace.slug
    default: {
      const type: string = event.type
      return type === 'brief.ready' ? String(event.data.brief) : event.data.workspace.name
    }
  }
}

function describeAds(event: AdsEvent): string {
  if (event.type === 'campaign.status_changed.v1') {
    expectTypeOf(event.payload.from).toEqualTypeOf<CampaignStatus>()
    return `${event.payload.from} → ${event.payload.to}`
  }
  if (event.type === 'deal.created.v1') expectTypeOf(event.payload).toEqualTypeOf<AdsEventPayload>()
  const type: string = event.type
  return `${type} ${event.entityId}`
}

test('an event narrows by its type, and an unlisted type stays usable', () => {
  expect(describeContent(untyped(CONTENT_EVENT))).toBe('ver_1 person')
  const future = { ...CONTENT_EVENT, type: 'brief.ready', data: { ...CONTENT_EVENT.data, brief: 'b1' } }
  expect(describeContent(untyped(future))).toBe('b1')
  expect(describeAds(untyped(ADS_EVENT))).toBe('active → paused')
  expect(describeAds(untyped({ ...ADS_EVENT, type: 'new.v1' }))).toBe(`new.v1 ${ADS_EVENT.entityId}`)
})

test('the scheme determines the type of the receiver and of its events', () => {
  const standard = createReceiver({ scheme: 'standard', secrets: STANDARD_SECRET })
  const service = createReceiver({ scheme: 'service', secrets: [SERVICE_SECRET] })
  expectTypeOf(standard).toEqualTypeOf<StandardReceiver>()
  expectTypeOf(service).toEqualTypeOf<ServiceReceiver>()
  expectTypeOf(standard.verify).returns.resolves.toEqualTypeOf<VerifiedStandardEvent<ContentEvent>>()
  expectTypeOf(service.verify).returns.resolves.toEqualTypeOf<VerifiedServiceEvent<AdsEvent>>()

  const scheme: 'standard' | 'service' = untyped('service')
  const either = createReceiver({ scheme, secrets: SERVICE_SECRET })
  expectTypeOf(either).toEqualTypeOf<StandardReceiver | ServiceReceiver>()
})

test('a scheme of a profile has its own type of receiver, also one imported as JSON', () => {
  const scheme = profileScheme(stripe)
  const receiver = createReceiver({ scheme, secrets: STANDARD_SECRET })
  expectTypeOf(receiver).toEqualTypeOf<Receiver<VerifiedProfileEvent, VerifiedProfileMessage>>()
  expectTypeOf(receiver.verify).returns.resolves.toEqualTypeOf<VerifiedProfileEvent<AnyProfileEvent>>()
  expectTypeOf(ads).toExtend<ProfileDocument>()
  expectTypeOf(content).toExtend<ProfileDocument>()
  // @ts-expect-error: nothing is verified without a secret
  expect(() => createReceiver({ scheme })).toThrow()
  const unsigned = { profile: 1, headers: {}, signatures: [], unsigned: true }
  const open = profileScheme(unsigned, { acceptUnsigned: true })
  createReceiver({ scheme: open })
  // @ts-expect-error: secrets verify nothing that is not signed
  expect(() => createReceiver({ scheme: open, secrets: 'x' })).toThrow()
})

interface BillingEvents {
  'invoice.paid': { readonly amount: number }
  'invoice.voided': { readonly reason: string }
}

function describeBilling(event: StandardEvent<BillingEvents> | ProfileEvent<BillingEvents>): string {
  if (event.type === 'invoice.paid') return String(event.data.amount + 1)
  if (event.type === 'invoice.voided') return event.data.reason
  expectTypeOf(event.data).toEqualTypeOf<JsonObject>()
  return event.type
}

test('events are typed by any catalog, for the built-in schemes and for profiles', async () => {
  const standard = createReceiver<StandardEvent<BillingEvents>>({
    scheme: 'standard',
    secrets: STANDARD_SECRET,
  })
  expectTypeOf(standard.verify)
    .returns.resolves.toHaveProperty('event')
    .toEqualTypeOf<StandardEvent<BillingEvents>>()
  const scheme = profileScheme<ProfileEvent<BillingEvents>>(stripe)
  const receiver = createReceiver({ scheme, secrets: STANDARD_SECRET })
  expectTypeOf(receiver.verify)
    .returns.resolves.toHaveProperty('event')
    .toEqualTypeOf<ProfileEvent<BillingEvents>>()
  const paid = { type: 'invoice.paid', data: { amount: 1 } }
  expect(describeBilling(untyped(paid))).toBe('2')
  // @ts-expect-error: there is no such type in the catalog
  expect(untyped<StandardEvent<BillingEvents>>(paid).type === 'invoice.pad').toBe(false)
})

test('options that do not belong to a scheme do not compile', () => {
  const secrets = SERVICE_SECRET
  // @ts-expect-error: this scheme signs no timestamp
  expect(() => createReceiver({ scheme: 'service', secrets, toleranceSeconds: 60 })).toThrow()
  // @ts-expect-error: there is no such scheme
  expect(() => createReceiver({ scheme: 'v1', secrets })).toThrow()
  // @ts-expect-error: a secret is needed
  expect(() => createReceiver({ scheme: 'standard' })).toThrow()
})

test('the platforms’ own types are accepted', () => {
  expectTypeOf<Headers>().toExtend<WebhookHeaders>()
  expectTypeOf<Map<string, string>>().toExtend<WebhookHeaders>()
  expectTypeOf<import('node:http').IncomingHttpHeaders>().toExtend<WebhookHeaders>()
  expectTypeOf<NodeJS.Dict<string[]>>().toExtend<WebhookHeaders>()
  expectTypeOf<[string, string][]>().toExtend<WebhookHeaders>()
  expectTypeOf<Request>().toExtend<WebhookRequest>()
  expectTypeOf<import('node:http').IncomingMessage>().toExtend<NodeRequest>()
  expectTypeOf<import('node:http2').Http2ServerRequest>().toExtend<NodeRequest>()
  expectTypeOf<string[]>().toExtend<WebhookHeaders>()
  expectTypeOf<Buffer>().toExtend<RawBody>()
  expectTypeOf<object>().not.toExtend<RawBody>()
})

test('an error has a code of a closed union', () => {
  expectTypeOf<WebhookVerificationError['code']>().toEqualTypeOf<VerificationErrorCode>()
  expectTypeOf<string>().not.toExtend<VerificationErrorCode>()
})
