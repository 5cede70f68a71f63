import { createHmac } from 'node:crypto'
import { sign as octokitSign } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { now, profileFile, profileReceiver } from '../signingService.ts'
import {
  expectRefused,
  NOW_SECONDS,
  OTHER_STANDARD_SECRET,
  SERVICE_SECRET,
  STANDARD_SECRET,
} from '../support.ts'

const EVENT = {
  id: 'evt_1',
  type: 'invoice.paid',
  created: NOW_SECONDS,
  timestamp: new Date(NOW_SECONDS * 1000).toISOString(),
  data: { object: { amount: 100 }, customer: 'Zoë 🐴' },
}
const BODY = JSON.stringify(EVENT)
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'

type Sign = (body: string) => Promise<Readonly<Record<string, string>>>

const standardHeaders = (prefix: string, signature: string) => ({
  [`${prefix}-id`]: ID,
  [`${prefix}-timestamp`]: String(NOW_SECONDS),
  [`${prefix}-signature`]: signature,
})

/** Requests signed by the vendor's own library. */
const VENDORS: Readonly<Record<string, { readonly secret: string; readonly sign: Sign }>> = {
  standard: {
    secret: STANDARD_SECRET,
    sign: async (body) =>
      standardHeaders('webhook', new StandardWebhook(STANDARD_SECRET).sign(ID, new Date(now()), body)),
  },
  svix: {
    secret: STANDARD_SECRET,
    sign: async (body) =>
      standardHeaders('svix', new SvixWebhook(STANDARD_SECRET).sign(ID, new Date(now()), body)),
  },
  stripe: {
    secret: STANDARD_SECRET,
    sign: async (payload) => ({
      'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({
        payload,
        secret: STANDARD_SECRET,
        timestamp: NOW_SECONDS,
      }),
    }),
  },
  github: {
    secret: SERVICE_SECRET,
    sign: async (body) => ({
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'X-Hub-Signature-256': await octokitSign(SERVICE_SECRET, body),
    }),
  },
  shopify: {
    secret: 'shpss_1234567890abcdef',
    // None of their libraries signs.
    sign: async (body) => ({
      'X-Shopify-Topic': 'orders/create',
      'X-Shopify-Shop-Domain': 'acme.myshopify.com',
      'X-Shopify-Webhook-Id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
      'X-Shopify-Event-Id': '98880550-7158-44d4-b7cd-2c97c8a091b5',
      'X-Shopify-Triggered-At': '2026-01-01T00:00:00.123456789Z',
      'X-Shopify-Hmac-SHA256': createHmac('sha256', 'shpss_1234567890abcdef').update(body).digest('base64'),
    }),
  },
}

describe.each(Object.entries(VENDORS))('requests that %s signs', (name, { secret, sign }) => {
  const profile = profileFile(name)
  const clock = JSON.stringify(profile.signatures ?? '{timestamp}').includes('{timestamp}') ? { now } : {}
  const receiver = profileReceiver({ profile, secrets: secret, ...clock })

  test('are verified', async () => {
    const { event } = await receiver.verify(BODY, await sign(BODY))
    expect(event.body).toEqual(EVENT)
  })

  test('are rejected with another body or secret', async () => {
    const headers = await sign(BODY)
    await expectRefused(receiver.verify(`${BODY} `, headers), 'signature_mismatch')
    const other = profileReceiver({ profile, secrets: OTHER_STANDARD_SECRET, ...clock })
    await expectRefused(other.verify(BODY, headers), 'signature_mismatch')
  })
})

test('signatures of other versions next to Stripe’s are ignored', async () => {
  const receiver = profileReceiver({ profile: profileFile('stripe'), secrets: STANDARD_SECRET, now })
  const { 'Stripe-Signature': header } = (await VENDORS.stripe!.sign(BODY)) as { 'Stripe-Signature': string }
  await receiver.verify(BODY, { 'Stripe-Signature': `${header},v0=6ffbb59b` })
  await receiver.verify(BODY, { 'Stripe-Signature': header.replace(',', ',v0=6ffbb59b,') })
  for (const broken of [`${header},v1=6ffbb59b`, `${header},`, `${header},v0`])
    await expectRefused(receiver.verify(BODY, { 'Stripe-Signature': broken }), 'signature_malformed')
  const v0 = header.replace('v1=', 'v0=')
  await expectRefused(receiver.verify(BODY, { 'Stripe-Signature': v0 }), 'signature_unsupported')
  const times = header.replace('t=', 't=1,t=')
  await expectRefused(receiver.verify(BODY, { 'Stripe-Signature': times }), /timestamp|signature_malformed/)
})
