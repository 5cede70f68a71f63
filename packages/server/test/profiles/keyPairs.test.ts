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
/** Random bytes for a secret and a seed. */
const filled = (fill: number) => new Uint8Array(64).fill(fill).fill(fill + 100, 32)

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
  const secretOf = (fill: number) => both.secrets.make(filled(fill))
  const publicKeyOf = (fill: number) => both.secrets.publicKey(secretOf(fill))!

  test('sends a v1 and a v1a signature of the same content', async () => {
    const { signatures, message } = sign(both, [secretOf(1)])
    expect(signatures).toEqual([
      expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/),
    ])
    expect(await verified(signatures[1]!, message, publicKeyOf(1))).toEqual([true, true])
  })

  test('is verified by libraries that support only v1', () => {
    const { headers } = sign(both, [secretOf(2), secretOf(1)])
    for (const stored of [secretOf(1), secretOf(2)]) {
      const secret = both.secrets.shown(stored)!
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

  test('creates at most the number of signatures of a kind that its profile allows', () => {
    const service = signedBy([
      { ...HMAC, most: 3 },
      { ...KEY_PAIR, most: 2 },
    ])
    expect(service.secrets.maxSigning).toBe(3)
    const { signatures } = sign(service, [4, 3, 2, 1].map(secretOf))
    expect(signatures.map((signature) => signature.split(',')[0])).toEqual(['v1', 'v1', 'v1', 'v1a', 'v1a'])
  })

  test('signs with HMAC like a service without key pairs', () => {
    const without = signedBy([HMAC])
    const shown = both.secrets.shown(secretOf(1))!
    expect(sign(both, [secretOf(1)]).signatures[0]).toBe(sign(without, [shown]).signatures[0])
  })

  test('creates signatures that no other body, time, id or key has', async () => {
    const { signatures, message } = sign(both, [secretOf(1)])
    for (const changed of ['paid', ID, '🐴'])
      expect(
        await verified(signatures[1]!, Buffer.from(message.toString().replace(changed, 'x')), publicKeyOf(1)),
      ).toEqual([false, false])
    expect(await verified(signatures[1]!, message, publicKeyOf(2))).toEqual([false, false])
  })
})

describe('a service that signs only with key pairs', () => {
  test('sends v1a signatures, and those of a replaced key pair during its overlap', async () => {
    const [newest, replaced] = [2, 1].map((fill) => alone.secrets.make(filled(fill)))
    const { signatures, message } = sign(alone, [newest!, replaced!])
    expect(signatures).toHaveLength(2)
    for (const [i, secret] of [newest, replaced].entries())
      expect(await verified(signatures[i]!, message, alone.secrets.publicKey(secret!)!)).toEqual([true, true])
    expect(alone.secrets.overlapMs).toBeGreaterThan(0)
  })

  test.each(['base64', 'base64url', 'hex'] as const)('has the same key of secrets in %s', (encoding) => {
    const service = signedBy([KEY_PAIR], { encoding, prefix: 'sk-' })
    const secret = service.secrets.make(filled(251))
    expect(secret.startsWith('sk-')).toBe(true)
    expect(service.secrets.publicKey(secret)).toBe(alone.secrets.publicKey(alone.secrets.make(filled(251))))
  })

  test.each(['', 'sk_BwcH', 'whsec_BwcH whsk_Bwc*', 'whsec_BwcH whsk_BwcH'])(
    'rejects %j, and does not show it',
    (text) => {
      let refusal: unknown
      try {
        alone.secrets.keyOf(text)
      } catch (error) {
        refusal = error
      }
      expect(refusal).toBeInstanceOf(Error)
      for (const part of text.split(' ').filter((one) => one !== ''))
        expect((refusal as Error).message).not.toContain(part)
    },
  )
})

describe('the private key of a key pair', () => {
  const shownOf = (service: Service, random: Uint8Array) =>
    service.secrets.shown(service.secrets.make(random))
  const [first, second] = [filled(1), filled(1).fill(9, 32)]

  test('cannot be derived from the secret that customers see: it is random and independent of it', () => {
    for (const random of [first, second]) {
      const stored = both.secrets.make(random)
      const shown = both.secrets.shown(stored)!
      expect(stored).toBe(`${shown} whsk_${Buffer.from(random.subarray(32)).toString('base64')}`)
      expect(shown).toBe(`whsec_${Buffer.from(random.subarray(0, 32)).toString('base64')}`)
    }
    // One shared secret, two key pairs.
    expect(shownOf(both, first)).toBe(shownOf(both, second))
    expect(both.secrets.publicKey(both.secrets.make(first))).not.toBe(
      both.secrets.publicKey(both.secrets.make(second)),
    )
  })

  test('belongs to the stored seed, by another implementation too', async () => {
    const publicKey = await noble.getPublicKeyAsync(first.subarray(32))
    const shown = `whpk_${Buffer.from(publicKey).toString('base64')}`
    expect(both.secrets.publicKey(both.secrets.make(first))).toBe(shown)
    expect(alone.secrets.publicKey(alone.secrets.make(first))).toBe(shown)
  })

  test("cannot be created from a customer's data", () => {
    const shown = both.secrets.shown(both.secrets.make(first))!
    expect(both.secrets.publicKey(shown)).toBeNull()
    expect(sign(both, [shown]).signatures).toEqual([expect.stringMatching(/^v1,/)])
  })

  test('is never shown', () => {
    expect(shownOf(alone, first)).toBeNull()
    const seed = Buffer.from(first.subarray(32)).toString('base64')
    for (const service of [both, signedBy([HMAC])]) {
      const stored = both.secrets.make(first)
      // A profile that dropped its Ed25519 signature reads the same secrets.
      expect(service.secrets.shown(stored)).not.toContain(seed)
      expect(service.secrets.shown(stored)).toBe(shownOf(both, first))
    }
  })
})

describe('a secret created before its profile had key pairs', () => {
  const before = signedBy([HMAC])
  const old = before.secrets.make(filled(3).subarray(0, 32))
  const rotated = both.secrets.make(filled(4))

  test('is stored and shown unchanged', () => {
    expect(before.secrets.bytes).toBe(32)
    expect(old).toBe(`whsec_${Buffer.alloc(32, 3).toString('base64')}`)
    expect(before.secrets.shown(old)).toBe(old)
    expect(both.secrets.shown(old)).toBe(old)
  })

  test('keeps signing only with HMAC, also next to a newer one', () => {
    expect(sign(both, [old]).signatures).toEqual(sign(before, [old]).signatures)
    const kinds = sign(both, [rotated, old]).signatures.map((signature) => signature.split(',')[0])
    expect(kinds).toEqual(['v1', 'v1', 'v1a'])
  })

  test('cannot sign where all signatures use key pairs, so it is rejected', () => {
    expect(() => alone.secrets.keyOf(old)).toThrow('rotate it')
    expect(alone.secrets.publicKey(old)).toBeNull()
  })

  test('signs as before if the profile drops its key pairs again', () => {
    expect(sign(before, [rotated]).signatures).toEqual(sign(both, [rotated]).signatures.slice(0, 1))
    expect(before.secrets.publicKey(rotated)).toBeNull()
  })
})

test('there is no public key if no signature needs it', () => {
  const { secrets } = contentService()
  expect(secrets.bytes).toBe(32)
  expect(secrets.publicKey(secrets.make(new Uint8Array(32).fill(7)))).toBeNull()
})
