import { Type } from 'typebox'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { Profile } from '../../profiles/profile.ts'
import { maxSigning } from '../../profiles/requests.ts'
import { hasKeyPair } from '../../profiles/secrets.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { ifMatchHeader } from '../shared/etag.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { rotate } from '../shared/webhooks.ts'
import { operation } from './operation.ts'
import { webhookParams, webhookWithSecretJson, webhookWithSecretSchema } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

/** What becomes of the secret that is replaced. */
function overlapText(profile: Profile): string {
  const most = maxSigning(profile)
  if (most === 1)
    return 'The new secret replaces the old one immediately, because the signature header can hold only one signature. Receivers must accept both secrets during the change.'
  const { secretOverlapMs } = profile.policy
  if (secretOverlapMs === 0) return 'The old secret stops signing immediately.'
  return `For ${durationText(secretOverlapMs)}, unless the operator set another time, every request is signed with both secrets, the new one first. After further rotations in this time, the newest secrets sign, up to ${most}.`
}

const UNITS = [
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
  [SECOND_MS, 'second'],
  [1, 'millisecond'],
] as const

/** In the largest unit that it is a whole number of. */
function durationText(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms % unit === 0)!
  return `${ms / size} ${name}${ms === size ? '' : 's'}`
}

function newKeysText(profile: Profile): string {
  if (!hasKeyPair(profile)) return 'Creates and returns a new secret, which is shown once.'
  return 'Creates a new secret and a new key pair, and returns the new public key. The secret is shown once, unless all signatures use key pairs.'
}

export const rotateSecret = operation({
  name: 'rotateSecret',
  method: 'POST',
  path: () => '/webhooks/:id/rotate-secret',
  access: ({ access }) => ({ scopes: access.change, members: 'owners' }),
  schema(service) {
    const { profile } = service
    const { a, created } = receiverWords(profile)
    return {
      operationId: `rotate${serviceTitle(profile)}WebhookSecret`,
      tags: ['Webhooks'],
      summary: 'Rotate the signing secret',
      description: `${newKeysText(profile)} ${overlapText(profile)} A key can rotate only the secret of ${a} that it ${created}; a signed-in owner, of any.`,
      params: webhookParams(service),
      headers: Type.Object({ ...idempotencyHeaders.properties, ...ifMatchHeader }),
      response: {
        200: webhookWithSecretSchema(service),
        ...problemResponses(
          ...KEY_PROBLEMS,
          ...CREATE_PROBLEMS,
          'role_missing',
          'not_creator',
          'version_mismatch',
          'quota_exceeded',
        ),
      },
    }
  },
  async run({ ctx, caller, request, reply }) {
    return webhookWithSecretJson(ctx, caller, await rotate(ctx, request, reply))
  },
})
