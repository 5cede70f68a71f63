import { readFileSync } from 'node:fs'
import { verify as verifyGitHub } from '@octokit/webhooks-methods'
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api'
import '@shopify/shopify-api/adapters/node'
import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import type { SigningKey } from '../../src/core/dialect.ts'
import { checkProfile } from '../../src/profiles/check.ts'
import { serviceOf } from '../../src/profiles/compile.ts'
import { headersOf } from '../support/requestHeaders.ts'

type Headers = Readonly<Record<string, string>>
/** Checks with the vendor's own library whether a receiver accepts a request. */
type Verify = (body: string, headers: Headers, secret: string) => Promise<boolean>

/** Whether nothing is thrown. */
const accepts = async (verify: () => unknown): Promise<boolean> => {
  try {
    await verify()
    return true
  } catch {
    return false
  }
}

/** @param secret of the only app */
const shopify = (secret: string) =>
  shopifyApi({
    apiKey: 'key',
    apiSecretKey: secret,
    apiVersion: ApiVersion.January26,
    isEmbeddedApp: false,
    hostName: 'app.example.com',
    scopes: [],
    logger: { level: LogSeverity.Error, log: async () => {} },
  })

const VENDORS: Readonly<Record<string, Verify>> = {
  standard: (body, headers, secret) => accepts(() => new StandardWebhook(secret).verify(body, headers)),
  github: (body, headers, secret) => verifyGitHub(secret, body, headers['X-Hub-Signature-256']!),
  stripe: (body, headers, secret) =>
    accepts(() => Stripe.webhooks.constructEvent(body, headers['Stripe-Signature']!, secret)),
  svix: (body, headers, secret) => accepts(() => new SvixWebhook(secret).verify(body, headers)),
  shopify: async (body, headers, secret) => {
    const request = { method: 'POST', url: '/hooks', headers }
    // The adapter for Node needs only this of a request and a response.
    const { valid } = await shopify(secret).webhooks.validate({
      rawBody: body,
      rawRequest: request as never,
      rawResponse: {} as never,
    })
    return valid
  },
}

const WORKSPACE = { publicId: 'ws_1', slug: 'acme', name: 'Acme' }

const serviceNamed = (name: string) => {
  const text = readFileSync(new URL(`../../profiles/${name}.json`, import.meta.url), 'utf8')
  const { errors, profile } = checkProfile(JSON.parse(text))
  expect(errors).toEqual([])
  return serviceOf(profile!, {})
}

describe.each(Object.entries(VENDORS))('requests of the profile %s', (name, verify) => {
  const service = serviceNamed(name)
  const secretOf = (fill: number) => service.secrets.make(new Uint8Array(32).fill(fill))
  const bodyOf = (data: Readonly<Record<string, unknown>>) =>
    service.envelope.prepare(
      { type: 'invoice.paid', data, members: {} },
      WORKSPACE,
      null,
    )('evt_1', Date.now())
  const sign = (body: string, secrets: readonly string[]): Headers =>
    headersOf(
      service.requestHeaders({
        eventId: 'evt_1',
        deliveryId: 'dlv_1',
        eventType: 'invoice.paid',
        webhookId: 'wh_1',
        workspaceSlug: 'acme',
        attempt: 1,
        body,
        timestampSeconds: Math.floor(Date.now() / 1_000),
        keys: secrets.map((secret): SigningKey => service.secrets.keyOf(secret)),
      }),
    )

  test("are verified by the receivers' library, whatever their content", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (data) => {
        const body = bodyOf(data)
        expect(await verify(body, sign(body, [secretOf(1)]), secretOf(1))).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('are rejected if a byte was changed, or with another secret', async () => {
    const body = bodyOf({ amount: 100 })
    const headers = sign(body, [secretOf(1)])
    expect(await verify(body.replace('100', '900'), headers, secretOf(1))).toBe(false)
    expect(await verify(body, headers, secretOf(2))).toBe(false)
  })

  test('are also verified by a replaced secret, if the header has room for it', async () => {
    const body = bodyOf({ amount: 100 })
    const headers = sign(body, [secretOf(2), secretOf(1)])
    expect(await verify(body, headers, secretOf(2))).toBe(true)
    expect(await verify(body, headers, secretOf(1))).toBe(service.secrets.maxSigning > 1)
  })
})
