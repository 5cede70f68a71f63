import type { EventType } from '../../core/catalog.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { uuidFormat } from '../../core/idFormat.ts'
import { headersByName } from '../../engine/attempt/signedHeaders.ts'
import { EXAMPLE_ID, exampleMembers, type ServedProfile } from '../../profiles/compile.ts'
import type { Profile } from '../../profiles/profile.ts'
import { fillTexts } from '../../profiles/texts.ts'

/** A whole request to a receiver, signed under {@link SAMPLE_SECRET_BYTES}. */
export interface SampleRequest {
  readonly headers: Readonly<Record<string, string>>
  /** The exact text whose bytes are signed. */
  readonly body: string
}

/** A made-up secret that belongs to no webhook: it is published in the documents. */
const SAMPLE_WEBHOOK_ID = Buffer.from('0199703ba6817b25a40f3e9cd81db656', 'hex')
const SAMPLE_SECRET_BYTES = Buffer.from('an example, known to all readers')

/** When the events of all examples happened. */
const SAMPLE_TIME = Date.UTC(2026, 8, 22, 9, 41, 7, 315)
/** When their requests were signed. */
const SIGNED_AT = Math.floor(SAMPLE_TIME / SECOND_MS) + 4

const WORKSPACE = { slug: 'spokewell', name: 'Spokewell' }

/** The ids of examples, each in the form of the service. */
function sampleIds({ prefixes }: Profile) {
  if (prefixes === null)
    return {
      event: uuidFormat.format(EXAMPLE_ID),
      delivery: '0199703b-a902-7e44-8d37-6a1c05f9b3d2',
      workspace: '0191d2b4-3e6f-7a80-9c15-b2d4f6081a3c',
    }
  return {
    event: `${prefixes.event}01k5r3q8bm4v7x9c2n6t0d5wfh`,
    delivery: `${prefixes.delivery}01k5r3q8bz2j6k9p3s7v1y4gae`,
    workspace: `${prefixes.workspace}01k94fqc5n8w3j6r0t2y4v7bxd`,
  }
}

const storedSample = ({ secrets }: ServedProfile) =>
  secrets.make(Buffer.alloc(secrets.bytes, SAMPLE_SECRET_BYTES))

/** What the signatures of the examples are verified with: the secret, or the public key where there is no secret. */
export function sampleSecret(service: ServedProfile): string {
  const stored = storedSample(service)
  return service.secrets.shown(stored) ?? service.secrets.publicKey(stored)!
}

/** What a made-up event of a type has beside type and data. */
export const sampleMembers = ({ profile }: ServedProfile, type: string): Readonly<Record<string, unknown>> =>
  fillTexts(exampleMembers(profile, type), { 'workspace.slug': WORKSPACE.slug }) as Readonly<
    Record<string, unknown>
  >

/** A request as the service itself makes it, signed four seconds after the event. */
export function sampleOf(
  served: ServedProfile,
  { type, example }: Pick<EventType, 'type' | 'example'>,
): SampleRequest {
  const ids = sampleIds(served.profile)
  const event = { type, data: example, members: sampleMembers(served, type) }
  const workspace = { publicId: ids.workspace, ...WORKSPACE }
  const body = served.envelope.prepare(event, workspace, SAMPLE_TIME)(ids.event, SAMPLE_TIME)
  const flat = served.requestHeaders({
    eventId: ids.event,
    deliveryId: ids.delivery,
    body,
    eventType: type,
    webhookId: served.ids.webhook.format(SAMPLE_WEBHOOK_ID),
    workspaceSlug: WORKSPACE.slug,
    attempt: 1,
    timestampSeconds: SIGNED_AT,
    keys: [served.secrets.keyOf(storedSample(served))],
  })
  return { headers: headersByName(flat), body }
}
