import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { snippetsFor } from '../../src/pages/webhooks/snippets/index.ts'
import { signingOf } from '../descriptions/index.ts'
import { isInstalled, type RunningSnippet, runSnippet } from './running.ts'
import { hexHeaders, standardHeaders } from './signing.ts'

/** Go compiles its standard library first, where it never did before. */
const START_PATIENCE_MS = 300_000

const ID = 'evt_01k94jv3a6f2m8q0x5s7t9b1cd'
const now = (offsetSeconds = 0) => String(Math.floor(Date.now() / 1_000) + offsetSeconds)

const CONTENT_BODY = Buffer.from(
  JSON.stringify({
    type: 'webhook.test',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: {
      workspace: { id: 'ws_1', slug: 'acme', name: 'Zażółć gęślą jaźń' },
      actor_id: 'usr_1',
      links: {},
    },
  }),
)
const ADS_BODY = Buffer.from(
  JSON.stringify({
    id: '01941f29-7c00-7aaa-8bbb-0123456789a0',
    type: 'campaign.status_changed.v1',
    entityType: 'campaign',
    entityId: '01941f29-7c00-7aaa-8bbb-0123456789a1',
    workspaceId: '01941f29-7c00-7aaa-8bbb-0123456789a2',
    payload: { from: 'active', to: 'paused — für immer' },
    occurredAt: '2026-01-01T00:00:00.000Z',
  }),
)
const SPACED = Buffer.concat([CONTENT_BODY, Buffer.from('\n')])

it('signs as the vectors say that were made outside this project', () => {
  const path = resolve(import.meta.dirname, '../../../../packages/receiver/test/vectors.json')
  const { standard } = JSON.parse(readFileSync(path, 'utf8')) as { standard: Vector[] }
  for (const { secret, id, timestamp, body, body_hex, signature } of standard) {
    const bytes = body_hex === undefined ? Buffer.from(body ?? '') : Buffer.from(body_hex, 'hex')
    const headers = standardHeaders({ secrets: [secret], id, timestamp: String(timestamp), body: bytes })
    expect(headers['webhook-signature']).toBe(signature)
  }
})

interface Vector {
  readonly secret: string
  readonly id: string
  readonly timestamp: number
  readonly body?: string
  readonly body_hex?: string
  readonly signature: string
}

for (const snippet of snippetsFor(signingOf('content'))) {
  describe(`the receiver in ${snippet.label}`, () => {
    const secret = `whsec_${Buffer.alloc(32, 0xfb).toString('base64')}`
    const other = `whsec_${Buffer.alloc(32, 0x41).toString('base64')}`
    const signed = (params: Partial<Parameters<typeof standardHeaders>[0]> = {}) =>
      standardHeaders({ secrets: [secret], id: ID, timestamp: now(), body: CONTENT_BODY, ...params })
    let receiver: RunningSnippet
    const installed = isInstalled(snippet.language)
    beforeAll(async () => {
      if (installed) receiver = await runSnippet(snippet, secret)
    }, START_PATIENCE_MS)
    beforeEach(({ skip }) => skip(!installed, `this machine cannot run ${snippet.language}`))
    afterAll(() => receiver?.stop())

    it('takes a request that was signed with the secret', async () => {
      expect(await receiver.post(CONTENT_BODY, signed())).toBe(204)
    })
    it('takes it while two secrets sign, whichever comes first', async () => {
      expect(await receiver.post(CONTENT_BODY, signed({ secrets: [other, secret] }))).toBe(204)
      expect(await receiver.post(CONTENT_BODY, signed({ secrets: [secret, other] }))).toBe(204)
    })
    it('takes the very bytes that were signed, however they are laid out', async () => {
      expect(await receiver.post(SPACED, signed({ body: SPACED }))).toBe(204)
      expect(await receiver.post(SPACED, signed())).toBe(400)
    })
    it('refuses another secret, another id and another body', async () => {
      expect(await receiver.post(CONTENT_BODY, signed({ secrets: [other] }))).toBe(400)
      expect(await receiver.post(CONTENT_BODY, { ...signed(), 'webhook-id': 'evt_other' })).toBe(400)
      const changed = Buffer.from(CONTENT_BODY.toString().replace('usr_1', 'usr_2'))
      expect(await receiver.post(changed, signed())).toBe(400)
    })
    it('refuses what was signed more than five minutes ago or ahead, and takes what was not', async () => {
      expect(await receiver.post(CONTENT_BODY, signed({ timestamp: now(-360) }))).toBe(400)
      expect(await receiver.post(CONTENT_BODY, signed({ timestamp: now(360) }))).toBe(400)
      expect(await receiver.post(CONTENT_BODY, signed({ timestamp: now(-240) }))).toBe(204)
    })
    it('refuses headers that are missing or make no sense, and lives on', async () => {
      expect(await receiver.post(CONTENT_BODY, {})).toBe(400)
      for (const [name, value] of [
        ['webhook-timestamp', 'soon'],
        ['webhook-timestamp', `${'9'.repeat(5_000)}`],
        ['webhook-signature', 'v1,'],
        ['webhook-signature', 'v1,äöü'],
        ['webhook-signature', ' , '],
      ] as const) {
        expect(await receiver.post(CONTENT_BODY, { ...signed(), [name]: value }), value).toBe(400)
      }
      expect(await receiver.post(CONTENT_BODY, signed())).toBe(204)
    })
    it('answers what was wrong', async () => {
      const forged = await receiver.ask(CONTENT_BODY, signed({ secrets: [other] }))
      expect(forged).toEqual({ status: 400, text: expect.stringMatching(/signature/i) })
      const old = await receiver.ask(CONTENT_BODY, signed({ timestamp: now(-360) }))
      expect(old).toEqual({ status: 400, text: expect.stringMatching(/timestamp/i) })
    })
    it('refuses a body that is too large', async () => {
      const body = Buffer.alloc(1_100_000, 0x20)
      expect([400, 413]).toContain(await receiver.post(body, signed({ body })))
    })
  })
}

for (const scheme of ['standard', 'hex'] as const) {
  const signing = signingOf(scheme === 'hex' ? 'ads' : 'content')
  const snippet = snippetsFor(signing).find(({ language }) => language === 'php')!
  it(`takes nothing without a secret: the receiver in PHP for ${scheme} signatures`, async ({ skip }) => {
    skip(!isInstalled('php'), 'this machine cannot run php')
    const receiver = await runSnippet(snippet, '')
    const headers =
      scheme === 'hex'
        ? hexHeaders('', ADS_BODY, 'campaign.status_changed.v1')
        : standardHeaders({ secrets: [''], id: ID, timestamp: now(), body: ADS_BODY })
    expect(await receiver.post(ADS_BODY, headers).finally(receiver.stop)).toBe(500)
  })
}

for (const snippet of snippetsFor(signingOf('ads'))) {
  describe(`the receiver for hex signatures in ${snippet.label}`, () => {
    const secret = Buffer.alloc(32, 0xfb).toString('base64url')
    const type = 'campaign.status_changed.v1'
    const signed = (body = ADS_BODY, by = secret) => hexHeaders(by, body, type)
    let receiver: RunningSnippet
    const installed = isInstalled(snippet.language)
    beforeAll(async () => {
      if (installed) receiver = await runSnippet(snippet, secret)
    }, START_PATIENCE_MS)
    beforeEach(({ skip }) => skip(!installed, `this machine cannot run ${snippet.language}`))
    afterAll(() => receiver?.stop())

    it('takes a request that was signed with the secret', async () => {
      expect(await receiver.post(ADS_BODY, signed())).toBe(204)
    })
    it('refuses another secret and another body', async () => {
      expect(await receiver.post(ADS_BODY, signed(ADS_BODY, 'x'.repeat(43)))).toBe(400)
      expect(await receiver.post(Buffer.concat([ADS_BODY, Buffer.from(' ')]), signed())).toBe(400)
    })
    it('answers what was wrong', async () => {
      const forged = await receiver.ask(ADS_BODY, signed(ADS_BODY, 'x'.repeat(43)))
      expect(forged).toEqual({ status: 400, text: expect.stringMatching(/signature/i) })
    })
    it('refuses headers that are missing or make no sense, and lives on', async () => {
      expect(await receiver.post(ADS_BODY, {})).toBe(400)
      for (const value of ['sha256=', 'sha256=äöü', signed()['x-service-signature']!.toUpperCase()]) {
        expect(await receiver.post(ADS_BODY, { ...signed(), 'x-service-signature': value }), value).toBe(400)
      }
      expect(await receiver.post(ADS_BODY, signed())).toBe(204)
    })
  })
}
