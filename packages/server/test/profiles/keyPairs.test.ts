import { createPublicKey, verify } from 'node:crypto'
import * as noble from '@noble/ed25519'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { contentService } from '../../src/profiles/builtIn.ts'
import { headersOf } from '../support/requestHeaders.ts'
import { HMAC, KEY_PAIR, signedBy } from '../support/signedBy.ts'

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const BODY = '{"type":"invoice.paid","name":"Zoë 🐴"}'
const filled = (fill: number) => new Uint8Array(32).fill(fill)

const both = signedBy([HMAC, KEY_PAIR])
const alone = signedBy([KEY_PAIR])
type Service = typeof both

function sign({ secrets, requestHeaders }: Service, signing: readonly string[], body = BODY) {
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const ids = { eventId: ID, deliveryId: 'dlv_1', webhookId: 'wh_1', workspaceSlug: 'acme', attempt: 1 }
  const keys = signing.map((secret) => secrets.keyOf(secret))
  const headers = headersOf(
    requestHeaders({ ...ids, eventType: 'invoice.paid', body, timestampSeconds, keys }),
  )
  const message = Buffer.from(`${ID}.${timestampSeconds}.${body}`)
  return { headers, message, signatures: headers['webhook-signature']!.split(' ') }
}

/** The 32 bytes of a key as customers see it. */
function rawKey(publicKey: string): Buffer {
  expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
  return Buffer.from(publicKey.slice('whpk_'.length), 'base64')
}

/** Whether receivers accept it, by node:crypto and by another implementation. */
async function verified(signature: string, message: Buffer, publicKey: string): Promise<boolean[]> {
  const bytes = Buffer.from(signature.slice('v1a,'.length), 'base64')
  const raw = rawKey(publicKey)
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }
  return [
    verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), bytes),
    await noble.verifyAsync(bytes, message, raw),
  ]
}

describe('a service that signs with HMAC and key pairs', () => {
  const secretOf = (fill: number) => both.secrets.format(filled(fill))
  const publicKeyOf = (fill: number) => both.secrets.publicKey(secretOf(fill))!

  test('sends a v1 and a v1a signature of the same content', async () => {
    const { signatures, message } = sign(both, [secretOf(1)])
    expect(signatures).toEqual([
      expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/),
    ])
    expect(await verified(signatures[1]!, message, publicKeyOf(1))).toEqual([true, true])
  })

  test('is verified by libraries that know v1 only', () => {
    const { headers } = sign(both, [secretOf(2), secretOf(1)])
    for (const secret of [secretOf(1), secretOf(2)]) {
      expect(new StandardWebhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
      expect(new SvixWebhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
    }
  })

  test('signs with both keys of a replaced secret during its overlap, the newest first', async () => {
    const [newest, replaced, overlap] = [[2], [1], [2, 1]].map((fills) => sign(both, fills.map(secretOf)))
    expect(overlap!.signatures).toEqual([
      newest!.signatures[0],
      replaced!.signatures[0],
      newest!.signatures[1],
      replaced!.signatures[1],
    ])
    const { signatures, message } = overlap!
    expect(await verified(signatures[2]!, message, publicKeyOf(2))).toEqual([true, true])
    expect(await verified(signatures[3]!, message, publicKeyOf(1))).toEqual([true, true])
    expect(await verified(signatures[2]!, message, publicKeyOf(1))).toEqual([false, false])
  })

  test('makes no more signatures of a kind than its profile allows', () => {
    const service = signedBy([
      { ...HMAC, most: 3 },
      { ...KEY_PAIR, most: 2 },
    ])
    expect(service.secrets.maxSigning).toBe(3)
    const { signatures } = sign(service, [4, 3, 2, 1].map(secretOf))
    expect(signatures.map((signature) => signature.split(',')[0])).toEqual(['v1', 'v1', 'v1', 'v1a', 'v1a'])
  })

  test('signs with HMAC as a service without key pairs does', () => {
    const without = signedBy([HMAC])
    expect(sign(both, [secretOf(1)]).signatures[0]).toBe(sign(without, [secretOf(1)]).signatures[0])
  })

  test('makes signatures that no other body, time, id or key has', async () => {
    const { signatures, message } = sign(both, [secretOf(1)])
    for (const changed of ['paid', ID, '🐴'])
      expect(
        await verified(signatures[1]!, Buffer.from(message.toString().replace(changed, 'x')), publicKeyOf(1)),
      ).toEqual([false, false])
    expect(await verified(signatures[1]!, message, publicKeyOf(2))).toEqual([false, false])
  })
})

describe('a service that signs with key pairs alone', () => {
  test('sends v1a signatures, and those of a replaced key pair during its overlap', async () => {
    const [newest, replaced] = [2, 1].map((fill) => alone.secrets.format(filled(fill)))
    const { signatures, message } = sign(alone, [newest!, replaced!])
    expect(signatures).toHaveLength(2)
    for (const [i, secret] of [newest, replaced].entries())
      expect(await verified(signatures[i]!, message, alone.secrets.publicKey(secret!)!)).toEqual([true, true])
    expect(alone.secrets.overlapMs).toBeGreaterThan(0)
  })

  test.each(['base64', 'base64url', 'hex'] as const)('has the same key of secrets in %s', (encoding) => {
    const service = signedBy([KEY_PAIR], { encoding, prefix: 'sk-' })
    const secret = service.secrets.format(filled(251))
    expect(secret.startsWith('sk-')).toBe(true)
    expect(service.secrets.publicKey(secret)).toBe(alone.secrets.publicKey(alone.secrets.format(filled(251))))
  })

  test.each(['', 'sk_BwcH', 'whsec_Bwc*', 'whsec_Bw cH'])('refuses %j, and does not show it', (text) => {
    for (const open of [alone.secrets.keyOf, alone.secrets.publicKey]) {
      let refusal: unknown
      try {
        open(text)
      } catch (error) {
        refusal = error
      }
      expect(refusal).toBeInstanceOf(Error)
      if (text !== '') expect((refusal as Error).message).not.toContain(text)
    }
  })
})

describe('the public key of a secret', () => {
  test('never changes, since receivers keep it', () => {
    expect(both.secrets.publicKey(both.secrets.format(filled(7)))).toBe(
      'whpk_qhUVZbFLDFsrYgFpP3kAfa7ZlQVVTc2r/lo5m30WUIg=',
    )
  })

  test('is absent where no signature needs it', () => {
    const { secrets } = contentService()
    expect(secrets.publicKey(secrets.format(filled(7)))).toBeNull()
  })
})
