import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type WebhookHeaders, WebhookVerificationError } from '../src/index.ts'
import { decodeSecret, formatSecret, SCHEMES } from '../src/schemes.ts'
import {
  expectRefused,
  NOW_SECONDS,
  type StandardHeaders,
  serviceHeaders,
  serviceReceiver,
  standardHeaders,
  standardReceiver,
  untyped,
} from './support.ts'

const standard = standardReceiver()
const service = serviceReceiver()

const anyBody = fc.uint8Array({ maxLength: 512 })
const nonEmptyBody = fc.uint8Array({ minLength: 1, maxLength: 512 })
const anyId = fc.stringMatching(/^[!-+\-/-~]{1,64}$/)

function flipBit(bytes: Uint8Array, position: number): Uint8Array {
  const flipped = bytes.slice()
  const bit = position % (bytes.length * 8)
  flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7))
  return flipped
}

function flipBitOfText(text: string, position: number): string {
  return Buffer.from(flipBit(Buffer.from(text, 'latin1'), position)).toString('latin1')
}

async function expectSomeRefusal(outcome: Promise<unknown>): Promise<void> {
  await expect(outcome).rejects.toBeInstanceOf(WebhookVerificationError)
}

test('any bytes with any id round trip in the standard scheme', async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, anyId, fc.integer({ min: -300, max: 300 }), async (body, id, offset) => {
      const timestampSeconds = NOW_SECONDS + offset
      const message = await standard.verifySignature(body, standardHeaders(body, { id, timestampSeconds }))
      expect(message).toEqual({ id, timestamp: new Date(timestampSeconds * 1000), body })
    }),
  )
})

test('any bytes round trip in the service scheme', async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      expect((await service.verifySignature(body, serviceHeaders(body))).body).toEqual(body)
    }),
  )
})

test('any text round trips as its UTF-8 bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const message = await standard.verifySignature(text, standardHeaders(Buffer.from(text)))
      expect(Buffer.from(message.body).toString()).toBe(text)
    }),
  )
})

test('any flipped bit of the body is rejected', async () => {
  await fc.assert(
    fc.asyncProperty(nonEmptyBody, fc.nat(), async (body, position) => {
      const flipped = flipBit(body, position)
      await expectRefused(standard.verifySignature(flipped, standardHeaders(body)), 'signature_mismatch')
      await expectRefused(service.verifySignature(flipped, serviceHeaders(body)), 'signature_mismatch')
    }),
  )
})

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)(
  'any flipped bit of %s is rejected',
  async (name: keyof StandardHeaders) => {
    // With a wide tolerance, only the signature detects a changed timestamp.
    const receiver = standardReceiver({ toleranceSeconds: 1e12 })
    await fc.assert(
      fc.asyncProperty(anyBody, fc.nat(), async (body, position) => {
        const headers = standardHeaders(body)
        const changed = { ...headers, [name]: flipBitOfText(headers[name], position) }
        await expectSomeRefusal(receiver.verifySignature(body, changed))
      }),
      { numRuns: 500 },
    )
  },
)

test('any flipped bit of X-Service-Signature is rejected', async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, fc.nat(), async (body, position) => {
      const headers = serviceHeaders(body)
      const signature = flipBitOfText(headers['X-Service-Signature'], position)
      await expectSomeRefusal(service.verifySignature(body, { ...headers, 'X-Service-Signature': signature }))
    }),
    { numRuns: 500 },
  )
})

test('any junk in the values of the headers is rejected without another error', async () => {
  const names = Object.values({ ...SCHEMES.standard.headers, s: SCHEMES.service.headers.signature })
  const junk = fc.oneof(
    fc.anything(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('v1,', 'v1,AA==', 'sha256='),
  )
  const junkHeaders = fc.dictionary(fc.constantFrom(...names, ...names.map((n) => n.toUpperCase())), junk)
  await fc.assert(
    fc.asyncProperty(junkHeaders, anyBody, async (headers, body) => {
      await expectSomeRefusal(standard.verify(body, untyped<WebhookHeaders>(headers)))
      await expectSomeRefusal(service.verify(body, untyped<WebhookHeaders>(headers)))
    }),
    { numRuns: 500 },
  )
})

test('any junk in one header of a signed request is rejected without another error', async () => {
  const body = new Uint8Array([1, 2, 3])
  const headers = standardHeaders(body)
  const name = fc.constantFrom(...Object.keys(headers))
  await fc.assert(
    fc.asyncProperty(name, fc.oneof(fc.anything(), fc.string()), async (which, junk) => {
      await expectSomeRefusal(standard.verify(body, untyped<WebhookHeaders>({ ...headers, [which]: junk })))
    }),
    { numRuns: 500 },
  )
})

test('any junk in place of the headers or the body is rejected without another error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), fc.anything(), async (headers, body) => {
      await expectSomeRefusal(standard.verify(untyped(body), untyped<WebhookHeaders>(headers)))
      await expectSomeRefusal(standard.verify(untyped(body), standardHeaders('signed')))
      await expectSomeRefusal(service.verify(untyped(body), serviceHeaders('signed')))
    }),
    { numRuns: 500 },
  )
})

test('random bytes of the right length make a valid secret', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(bytes, (random) => {
      expect(decodeSecret(SCHEMES.standard, formatSecret(SCHEMES.standard, random))).toEqual(random)
      const text = formatSecret(SCHEMES.service, random)
      expect(text).toBe(Buffer.from(random).toString('base64url'))
      expect(Buffer.from(decodeSecret(SCHEMES.service, text)).toString()).toBe(text)
    }),
  )
})
