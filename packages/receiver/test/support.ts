import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import {
  createReceiver,
  ReceiverConfigurationError,
  type ServiceReceiver,
  type ServiceReceiverOptions,
  type StandardReceiver,
  type StandardReceiverOptions,
  type VerificationErrorCode,
  WebhookVerificationError,
} from '../src/index.ts'
import {
  decodeSecret,
  formatSignature,
  joinSignatures,
  SCHEMES,
  type SignatureScheme,
  signedContentPrefix,
} from '../src/schemes.ts'

export const STANDARD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const OTHER_STANDARD_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
export const SERVICE_SECRET = Buffer.alloc(32, 9).toString('base64url')
export const OTHER_SERVICE_SECRET = Buffer.alloc(32, 10).toString('base64url')

export const NOW_SECONDS = 1_767_225_600
export const MESSAGE_ID = 'evt_01JGFJJZ00ABCDEFGHJKMNPQRS'
export const DELIVERY_ID = '01941f29-7c00-7aaa-8bbb-0123456789ab'

export const CONTENT_EVENT = {
  type: 'version.approved',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: {
    workspace: { id: 'ws_1', slug: 'acme', name: 'Acme' },
    actor_id: 'usr_1',
    links: { app: 'https://app.example.com/g/1' },
    generation: { id: 'gen_1', kind: 'article', title: 'Zażółć gęślą jaźń', content_id: 'cnt_1' },
    version_id: 'ver_1',
    decided_by: 'usr_1',
    via: 'person',
  },
}

export const ADS_EVENT = {
  id: '01941f29-7c00-7aaa-8bbb-0123456789a0',
  type: 'campaign.status_changed.v1',
  entityType: 'campaign',
  entityId: '01941f29-7c00-7aaa-8bbb-0123456789a1',
  workspaceId: '01941f29-7c00-7aaa-8bbb-0123456789a2',
  payload: { from: 'active', to: 'paused' },
  occurredAt: '2026-01-01T00:00:00.000Z',
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Signs as the server does: node:crypto for the HMAC, and all constants from the schemes. */
export function sign(
  scheme: SignatureScheme,
  secrets: readonly string[],
  body: Uint8Array | string,
  fields: { id?: string; timestampSeconds?: number } = {},
): string {
  const { id = MESSAGE_ID, timestampSeconds = NOW_SECONDS } = fields
  const entries = secrets.map((secret) => {
    const hmac = createHmac(scheme.hash, decodeSecret(scheme, secret, { minKeyBytes: 16 }))
    hmac.update(signedContentPrefix(scheme, { id, timestampSeconds })).update(body)
    return formatSignature(scheme, hmac.digest())
  })
  return joinSignatures(scheme, entries)
}

export type StandardHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

export function standardHeaders(
  body: Uint8Array | string,
  {
    id = MESSAGE_ID,
    timestampSeconds = NOW_SECONDS,
    secrets = [STANDARD_SECRET],
  }: { id?: string; timestampSeconds?: number; secrets?: readonly string[] } = {},
): StandardHeaders {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': sign(SCHEMES.standard, secrets, body, { id, timestampSeconds }),
  }
}

export function serviceHeaders(body: Uint8Array | string, secret = SERVICE_SECRET, type = ADS_EVENT.type) {
  return {
    'Content-Type': 'application/json',
    'X-Service-Event': type,
    'X-Service-Delivery': DELIVERY_ID,
    'X-Service-Signature': sign(SCHEMES.service, [secret], body),
  }
}

export function standardReceiver(options: Partial<StandardReceiverOptions> = {}): StandardReceiver {
  return createReceiver({
    scheme: 'standard',
    secrets: STANDARD_SECRET,
    now: () => NOW_SECONDS * 1000,
    ...options,
  })
}

export function serviceReceiver(options: Partial<ServiceReceiverOptions> = {}): ServiceReceiver {
  return createReceiver({ scheme: 'service', secrets: SERVICE_SECRET, ...options })
}

export async function expectRefused(
  outcome: Promise<unknown>,
  code: VerificationErrorCode | RegExp,
): Promise<void> {
  const error = await outcome.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error, `expected a refusal with ${code}`).toBeInstanceOf(WebhookVerificationError)
  const found = (error as WebhookVerificationError).code
  if (typeof code === 'string') expect(found).toBe(code)
  else expect(found).toMatch(code)
}

export function configurationError(create: () => unknown): ReceiverConfigurationError {
  try {
    create()
  } catch (error) {
    if (error instanceof ReceiverConfigurationError) return error
    throw error
  }
  throw new Error('The receiver was created')
}

/** For values that the types would reject. */
export function untyped<T>(value: unknown): T {
  return value as T
}
