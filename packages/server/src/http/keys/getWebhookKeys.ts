import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { Profile } from '../../profiles/profile.ts'
import { hasKeyPair } from '../../profiles/secrets.ts'
import { serviceTitle } from '../operations/words.ts'
import { tooManyRequests } from '../shared/authProblems.ts'
import type { Context, Route } from '../shared/context.ts'
import { Problem, problemResponses } from '../shared/problems.ts'
import { publicKeysOf } from '../shared/publicKeys.ts'
import { closed, pathId } from '../shared/schemas.ts'
import { ClientRate, clientOf } from '../shared/throttle/clientRate.ts'
import { LookUpLane } from '../shared/throttle/lookUpLane.ts'
import { jwkOf } from './jwk.ts'

export const WEBHOOK_KEYS_PATH = '/.well-known/webhook-keys/:id'

const JWK_SET = 'application/jwk-set+json'
/** As many as a profile can have sign. */
const MAX_SECRETS = 16
const MAX_AGE_MS = 5 * MINUTE_MS
/** Receivers that keep a set for its whole age still know a key that signs: the replaced one. */
const AGES_PER_OVERLAP = 12

const jwk = closed(
  {
    kty: Type.Literal('OKP'),
    crv: Type.Literal('Ed25519'),
    x: Type.String({ description: 'The 32 bytes of the public key, in base64url.' }),
    use: Type.Literal('sig'),
    alg: Type.Literal('EdDSA'),
    kid: Type.String({ description: 'The thumbprint of the key (RFC 7638).' }),
  },
  { title: 'PublicJwk', description: 'An Ed25519 public key (RFC 8037).' },
)

/** What documents say of the route, for services that sign with key pairs. */
export const webhookKeysSchema = (profile: Profile) => ({
  operationId: `get${serviceTitle(profile)}WebhookKeys`,
  tags: ['Webhooks'],
  summary: 'Read the public keys of a webhook',
  description:
    'The keys that verify its Ed25519 signatures, newest first, as a JWK Set (RFC 7517). After a rotation, the replaced key is listed until it stops signing. Needs no credentials.',
  security: [],
  params: closed({ id: pathId('The webhook.') }),
  response: {
    200: {
      content: {
        [JWK_SET]: { schema: closed({ keys: Type.Array(jwk) }, { title: 'JwkSet' }) },
      },
    },
    ...problemResponses('not_found', 'too_many_requests'),
  },
})

/**
 * Serves public keys to receivers. Anyone can ask, so an id that no webhook can have costs no read, reads are limited by
 * client and in all, and two at most are under way: a flood of them delays no caller that is known.
 */
export const getWebhookKeys: Route = (app, ctx) => {
  const rate = new ClientRate(ctx.clock, ctx.authenticationLimits.publicKeys)
  const lane = new LookUpLane()
  // As for operations, the documents of the services hold the schema.
  app.get(WEBHOOK_KEYS_PATH, async (request, reply) => {
    const publicId = webhookIdIn(ctx, (request.params as { readonly id: string }).id)
    if (publicId === null) throw noKeys()
    const client = clientOf(request.ip)
    const waitMs = lane.isFull ? SECOND_MS : rate.waitMs(client)
    if (waitMs > 0) throw tooManyRequests(waitMs)
    rate.use(client)
    const asked = { publicId, limit: MAX_SECRETS, now: ctx.clock.now() }
    const found = await lane.run(() => ctx.storage.webhooks.getSigningSecrets(asked))
    const service = found === null ? undefined : ctx.dialects.get(found.dialect)
    if (found === null || service === undefined || !hasKeyPair(service.profile)) throw noKeys()
    const signing = found.secrets.slice(0, service.secrets.maxSigning)
    const keys = publicKeysOf(ctx, service, publicId, signing).map(jwkOf)
    // Bytes, since of a text the framework would add a charset, which this media type does not have.
    const body = Buffer.from(JSON.stringify({ keys }))
    const etag = `"${hash('sha256', body, 'base64url')}"`
    reply.header('cache-control', cacheControl(service)).header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.header('content-type', JWK_SET).send(body)
  })
}

/** @returns the id as the store has it; `null`: it is of no service that signs with key pairs */
function webhookIdIn({ dialects }: Context, id: string): string | null {
  for (const { profile, ids } of dialects.values()) {
    const bytes = hasKeyPair(profile) ? ids.webhook.parse(id) : null
    if (bytes !== null) return ids.webhook.format(bytes)
  }
  return null
}

/** One answer for all, so that it does not tell which webhooks there are. */
const noKeys = () => new Problem('not_found', 'There is no webhook with this id that signs with a key pair.')

function cacheControl({ secrets: { overlapMs } }: ServedProfile): string {
  const maxAge = Math.floor(Math.min(MAX_AGE_MS, overlapMs / AGES_PER_OVERLAP) / SECOND_MS)
  return maxAge === 0 ? 'no-cache' : `public, max-age=${maxAge}`
}
