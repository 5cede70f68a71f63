import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ServiceDescription } from '../../src/api/serviceDescription.ts'
import { snippetsFor } from '../../src/pages/webhooks/snippets/index.ts'
import { description, signingOf } from '../descriptions/index.ts'
import { isInstalled, type RunningSnippet, runSnippet } from './running.ts'

const START_PATIENCE_MS = 300_000
const BODY = Buffer.from(
  JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data: { object: { note: 'für später' } } }),
)

type Headers = Readonly<Record<string, string>>

/** How a vendor signs, written down once more, apart from the product. */
interface Vendor {
  readonly secret: string
  readonly other: string
  /** Languages that have a receiver. */
  readonly languages: readonly string[]
  /** @param at Unix seconds */
  headers(secrets: readonly string[], at: number): Headers
  readonly isTimed: boolean
}

const now = () => Math.floor(Date.now() / 1_000)

const UNUSUAL: Partial<ServiceDescription> = {
  headers: { 'X-Sent': 'at "{timestamp:iso}" for {workspace.slug}', 'X-Sig': '[{signatures}]' },
  signatures: [
    {
      content: "it's {timestamp:iso}\\{body}",
      algorithm: 'hmac-sha512',
      encoding: 'base64',
      secret: 'hex',
      each: "a'{{{signature}",
      join: ';',
    },
  ],
  secret: { prefix: 'k_' },
}

const VENDORS: Readonly<Record<string, Vendor>> = {
  stripe: {
    secret: 'whsec_one',
    other: 'whsec_two',
    languages: ['node', 'python'],
    isTimed: true,
    headers: (secrets, at) => {
      const sign = (secret: string) =>
        createHmac('sha256', secret).update(`${at}.`).update(BODY).digest('hex')
      return { 'stripe-signature': [`t=${at}`, ...secrets.map((secret) => `v1=${sign(secret)}`)].join(',') }
    },
  },
  shopify: {
    secret: 'one',
    other: 'two',
    languages: ['node', 'python'],
    isTimed: false,
    headers: ([secret]) => ({
      'x-shopify-hmac-sha256': createHmac('sha256', secret!).update(BODY).digest('base64'),
      'x-shopify-topic': 'invoice.paid',
      'x-shopify-event-id': 'evt_1',
    }),
  },
  github: {
    secret: 'one',
    other: 'two',
    languages: ['node', 'python', 'go', 'ruby', 'php'],
    isTimed: false,
    headers: ([secret]) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret!).update(BODY).digest('hex')}`,
      'x-github-event': 'invoice.paid',
    }),
  },
  svix: {
    secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    other: `whsec_${Buffer.alloc(32, 2).toString('base64')}`,
    languages: ['node', 'python'],
    isTimed: true,
    headers: (secrets, at) => {
      const sign = (secret: string) =>
        createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
          .update(`evt_1.${at}.`)
          .update(BODY)
          .digest('base64')
      return {
        'svix-id': 'evt_1',
        'svix-timestamp': String(at),
        'svix-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
      }
    },
  },
  unusual: {
    secret: `k_${Buffer.alloc(32, 1).toString('hex')}`,
    other: `k_${Buffer.alloc(32, 2).toString('hex')}`,
    languages: ['node', 'python'],
    isTimed: true,
    headers: (secrets, at) => {
      const time = new Date(at * 1_000).toISOString()
      const sign = (secret: string) =>
        createHmac('sha512', Buffer.from(secret.slice(2), 'hex'))
          .update(`it's ${time}\\`)
          .update(BODY)
          .digest('base64')
      return {
        'x-sent': `at "${time}" for acme`,
        'x-sig': `[${secrets.map((secret) => `a'{${sign(secret)}`).join(';')}]`,
      }
    },
  },
}

for (const [name, vendor] of Object.entries(VENDORS)) {
  const signing = name === 'unusual' ? signingOf('standard', UNUSUAL) : signingOf(name)
  const snippets = snippetsFor(signing)

  it(`has receivers for ${name}`, () => {
    expect(snippets.map(({ language }) => language)).toEqual(vendor.languages)
  })

  for (const snippet of snippets) {
    describe(`the receiver for ${name} in ${snippet.label}`, () => {
      const { secret, other, isTimed } = vendor
      const signed = (secrets = [secret], at = now()) => vendor.headers(secrets, at)
      let receiver: RunningSnippet
      const installed = isInstalled(snippet.language)
      beforeAll(async () => {
        if (installed) receiver = await runSnippet(snippet, secret)
      }, START_PATIENCE_MS)
      beforeEach(({ skip }) => skip(!installed, `this machine cannot run ${snippet.language}`))
      afterAll(() => receiver?.stop())

      it('takes a request that was signed with the secret', async () => {
        expect(await receiver.post(BODY, signed())).toBe(204)
        if (signing.signatures[0]!.join !== null) {
          expect(await receiver.post(BODY, signed([other, secret]))).toBe(204)
        }
      })
      it('refuses another secret and another body, and says why', async () => {
        expect(await receiver.ask(BODY, signed([other]))).toEqual({
          status: 400,
          text: expect.stringMatching(/signature/),
        })
        expect(await receiver.post(Buffer.concat([BODY, Buffer.from(' ')]), signed())).toBe(400)
      })
      it('refuses headers that are missing or make no sense, and lives on', async () => {
        expect(await receiver.post(BODY, {})).toBe(400)
        for (const header of Object.keys(signed())) {
          const { [header]: _, ...others } = signed()
          if (isTimed || /sig|hmac/.test(header)) expect(await receiver.post(BODY, others), header).toBe(400)
        }
        for (const value of ['', 'äöü', '9'.repeat(400), 't=soon,v1=x', 'at "soon" for acme', '[', ',;,']) {
          const broken = Object.fromEntries(Object.keys(signed()).map((header) => [header, value]))
          expect(await receiver.post(BODY, broken), value).toBe(400)
        }
        expect(await receiver.post(BODY, signed())).toBe(204)
      })
      if (!isTimed) return
      it('refuses what was signed more than five minutes ago or ahead', async () => {
        expect(await receiver.post(BODY, signed([secret], now() - 360))).toBe(400)
        expect(await receiver.post(BODY, signed([secret], now() + 360))).toBe(400)
        expect(await receiver.post(BODY, signed([secret], now() - 240))).toBe(204)
      })
    })
  }
}

it('has no receiver where no secret signs', () => {
  const [scheme] = description('standard').signatures
  const signatures = [{ ...scheme!, algorithm: 'ed25519' as const, secret: null }]
  expect(snippetsFor(signingOf('standard', { signatures }))).toEqual([])
})

it('has no receiver where something that was signed is in no header', () => {
  const headers = { 'X-Sig': '{signatures}' }
  expect(snippetsFor(signingOf('stripe', { headers }))).toEqual([])
})
