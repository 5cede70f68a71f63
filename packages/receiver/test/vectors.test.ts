import { expect, test } from 'vitest'
import { createReceiver } from '../src/index.ts'
import { SCHEMES } from '../src/schemes.ts'
import { expectRefused, sign } from './support.ts'
import vectors from './vectors.json' with { type: 'json' }

interface Vector {
  secret: string
  id: string
  timestamp: number
  signature: string
  body?: string
  body_hex?: string
}

const cases = (vectors.standard as Vector[]).map((vector) => ({
  ...vector,
  bytes: vector.body_hex === undefined ? Buffer.from(vector.body ?? '') : Buffer.from(vector.body_hex, 'hex'),
}))

function receiverFor({ secret, timestamp }: Vector) {
  // One vector has a key of 18 bytes, which Standard Webhooks advises against and some senders use.
  return createReceiver({
    scheme: 'standard',
    secrets: secret,
    now: () => timestamp * 1000,
    minKeyBytes: 16,
  })
}

function headersFor({ id, timestamp, signature }: Vector) {
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
}

test.each(cases)('the vector $id at $timestamp with body "$body$body_hex" verifies', async (vector) => {
  const message = await receiverFor(vector).verifySignature(vector.bytes, headersFor(vector))
  expect(message.id).toBe(vector.id)
  expect(message.timestamp).toEqual(new Date(vector.timestamp * 1000))
  expect(Buffer.from(message.body)).toEqual(vector.bytes)
})

test.each(cases)('the vector $id at $timestamp with body "$body$body_hex" equals our signature', (vector) => {
  const { id, timestamp: timestampSeconds } = vector
  expect(sign(SCHEMES.standard, [vector.secret], vector.bytes, { id, timestampSeconds })).toBe(
    vector.signature,
  )
})

test.each(cases)(
  'the vector $id with one more byte in its body "$body$body_hex" is rejected',
  async (vector) => {
    const longer = Buffer.concat([vector.bytes, Buffer.from(' ')])
    await expectRefused(receiverFor(vector).verifySignature(longer, headersFor(vector)), 'signature_mismatch')
  },
)
