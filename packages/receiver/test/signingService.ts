import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { checkProfile } from '../../server/src/profiles/check.ts'
import { serviceOf } from '../../server/src/profiles/compile.ts'
import { createReceiver, type Receiver } from '../src/index.ts'
import {
  type ProfileDocument,
  profileScheme,
  type VerifiedProfileEvent,
  type VerifiedProfileMessage,
} from '../src/profile.ts'
import { NOW_SECONDS, untyped } from './support.ts'

export const WORKSPACE = { publicId: 'ws_1', slug: 'acme', name: 'Acme' }
const IDS = { eventId: 'evt_1', deliveryId: 'dlv_1', webhookId: 'wh_1' }
export const TYPE = 'invoice.paid'
export const now = () => NOW_SECONDS * 1000

type Headers = Readonly<Record<string, string>>

/** A profile file of the server. */
export function profileFile(name: string): ProfileDocument {
  const url = new URL(`../../server/profiles/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as ProfileDocument
}

/** A profile with all required members. */
export const profileWith = (members: object): ProfileDocument => ({
  profile: 1,
  name: 'billing',
  title: 'Billing',
  ...members,
})

/** The service of a profile, which signs requests as the server does. */
export function signingService(document: ProfileDocument) {
  const { errors, profile } = checkProfile(document)
  expect(errors).toEqual([])
  const service = serviceOf(profile!, {})
  const stored = (fill: number) =>
    service.secrets.make(new Uint8Array(service.secrets.bytes).fill(fill).fill(fill + 100, 32))
  return {
    document,
    signsTime: profile!.signatures.some(({ content }) => content.includes('{timestamp')),
    maxSigning: service.secrets.maxSigning,
    stored,
    secret: (fill: number) => service.secrets.shown(stored(fill))!,
    publicKey: (fill: number) => service.secrets.publicKey(stored(fill))!,
    body: (data: object = { amount: 100 }, members: object = {}) =>
      service.envelope.prepare(
        { type: TYPE, data: { ...data }, members: { ...members } },
        WORKSPACE,
        null,
      )(IDS.eventId, now()),
    sign(body: string, fills: readonly number[] = [1], changes: object = {}): Headers {
      const flat = service.requestHeaders({
        ...IDS,
        eventType: TYPE,
        workspaceSlug: WORKSPACE.slug,
        attempt: 2,
        body,
        timestampSeconds: NOW_SECONDS,
        keys: fills.map((fill) => service.secrets.keyOf(stored(fill))),
        ...changes,
      })
      return Object.fromEntries(
        Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!]),
      )
    },
  }
}

type Service = ReturnType<typeof signingService>
type ProfileReceiver = Receiver<VerifiedProfileEvent, VerifiedProfileMessage>

/** A receiver of the requests of a profile, with options that the types might reject. */
export function profileReceiver({
  profile,
  acceptUnsigned,
  ...options
}: {
  readonly profile: ProfileDocument
  readonly acceptUnsigned?: unknown
  readonly [option: string]: unknown
}): ProfileReceiver {
  const scheme =
    acceptUnsigned === undefined
      ? profileScheme(profile)
      : profileScheme(profile, untyped({ acceptUnsigned }))
  return createReceiver(untyped<{ scheme: typeof scheme; secrets: string }>({ scheme, ...options }))
}

/** A receiver of a service's requests, at the time of their signature. */
export function receiverOf(
  service: Service,
  secrets: string | readonly string[] = service.secret(1),
): ProfileReceiver {
  const clock = service.signsTime ? { now } : {}
  return profileReceiver({ profile: service.document, secrets, ...clock })
}
