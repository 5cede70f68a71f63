import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../src/support/waiting.ts'
import { type Account, admin, openAccount, type Service, unique } from '../accounts.ts'
import { expectProblem } from '../expectProblem.ts'
import { addAdsWebhook, inAds } from '../samples/ads.ts'
import { addContentWebhook, inContent } from '../samples/content.ts'
import { call, done, receiver } from '../world.ts'

interface Of {
  readonly service: Service
  /** In ids of operations. */
  readonly name: 'Content' | 'Ads'
  readonly of: (account: Account, params?: Readonly<Record<string, string>>) => object
  readonly addWebhook: (account: Account) => Promise<{ readonly id: string }>
  readonly secret: 'signing_secret' | 'signingSecret'
}

const SERVICES: readonly Of[] = [
  {
    service: 'content',
    name: 'Content',
    of: inContent,
    addWebhook: addContentWebhook,
    secret: 'signing_secret',
  },
  { service: 'ads', name: 'Ads', of: inAds, addWebhook: addAdsWebhook, secret: 'signingSecret' },
]

/** The requests at a path, once there is one. */
const arrived = (path: string) =>
  eventually(() => receiver().received(path)[0] ?? null, { withinMs: 20_000, what: `a request to ${path}` })

/** The requests there about one webhook: the operator's webhook also gets those about others. */
const about = (path: string, webhook: string) =>
  eventually(
    () =>
      receiver()
        .received(path)
        .find(({ body }) => body.includes(webhook)) ?? null,
    { withinMs: 20_000, what: `a request to ${path} about ${webhook}` },
  )

function isSigned(secret: string, headers: Readonly<Record<string, unknown>>, body: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

/** Some tests may have been sent earlier, in this minute or the last. */
async function untilLimited(id: string, what: object): Promise<void> {
  for (let sent = 0; sent < 130; sent++) {
    const { status, json } = await call(id, what)
    if (status !== 202) return expect([status, json.code]).toEqual([429, 'rate_limited'])
  }
  throw new Error(`${id} has no limit`)
}

export function operationalStories(): void {
  describe.each(SERVICES)(
    'an operational webhook of $service',
    ({ service, name, of, secret, addWebhook }) => {
      const create = (account: Account, path = `/ok/${unique('operational')}`) =>
        done<Record<string, string>>(`create${name}OperationalWebhook`, {
          ...of(account),
          json: { url: receiver().urlOf(path) },
        })

      test('there is only one, with 60 tests a minute', async () => {
        const account = await openAccount(service)
        expect(await done(`get${name}OperationalWebhook`, of(account))).toEqual({ webhook: null })
        await expectProblem(`list${name}OperationalDeliveries`, of(account), 404, 'not_found')
        await create(account)
        const again = { ...of(account), json: { url: receiver().urlOf('/ok/again') } }
        await expectProblem(`create${name}OperationalWebhook`, again, 409, 'webhook_limit_reached')
        await untilLimited(`test${name}OperationalWebhook`, of(account))
      })

      test('an idempotency key of another call is rejected', async () => {
        const account = await openAccount(service)
        const headers = { 'idempotency-key': unique('key') }
        const json = { url: receiver().urlOf(`/ok/${unique('operational')}`) }
        await done(`create${name}OperationalWebhook`, { ...of(account), json, headers })
        for (const id of [`rotate${name}OperationalWebhookSecret`, `test${name}OperationalWebhook`])
          await expectProblem(id, { ...of(account), headers }, 422, 'idempotency_key_reused')
      })

      test('its requests follow Standard Webhooks, and it is in no list of webhooks', async () => {
        const account = await openAccount(service)
        const path = `/ok/${unique('operational')}`
        const made = await create(account, path)
        await done(`test${name}OperationalWebhook`, of(account))
        const { headers, body } = await arrived(path)
        const text = body.toString()
        expect(isSigned(made[secret]!, headers as Record<string, unknown>, text)).toBe(true)
        expect(JSON.parse(text).type).toBe('webhook.test')
        // The workspace's own lists do not contain it.
        await addWebhook(account)
        const { data } = await done<{ data: unknown[] }>(`list${name}Webhooks`, of(account))
        expect(data).toHaveLength(1)
      })
    },
  )

  test('the operator has only one, with 60 tests a minute', async () => {
    const json = { url: receiver().urlOf('/ok/operational') }
    await call('createOperationalWebhook', { ...admin, json })
    await expectProblem('createOperationalWebhook', { ...admin, json }, 409, 'webhook_limit_reached')
    await done('deleteOperationalWebhook', { ...admin })
    for (const id of ['deleteOperationalWebhook', 'listOperationalDeliveries'])
      await expectProblem(id, { ...admin }, 404, 'not_found')
    for (const id of ['rotateOperationalWebhookSecret', 'testOperationalWebhook'])
      await expectProblem(id, { ...admin }, 404, 'not_found')
    await expectProblem('updateOperationalWebhook', { ...admin, json }, 404, 'not_found')
    const headers = { 'idempotency-key': unique('key') }
    const { id } = await done<{ id: string }>('createOperationalWebhook', { ...admin, json, headers })
    expect(id).toMatch(/^wh_/)
    for (const call of ['rotateOperationalWebhookSecret', 'testOperationalWebhook'])
      await expectProblem(call, { ...admin, headers }, 422, 'idempotency_key_reused')
    await untilLimited('testOperationalWebhook', { ...admin })
  })

  test('the workspace and the operator get an event when a webhook is disabled', async () => {
    const account = await openAccount('content')
    const [own, operators] = [`/ok/${unique('own')}`, `/ok/${unique('operators')}`]
    await call('deleteOperationalWebhook', { ...admin })
    await done('createOperationalWebhook', {
      ...admin,
      json: { url: receiver().urlOf(operators), events: ['webhook.disabled'] },
    })
    await done('createContentOperationalWebhook', {
      ...inContent(account),
      json: { url: receiver().urlOf(own), events: ['webhook.disabled'] },
    })
    const { id } = await addContentWebhook(account)
    await done('updateContentWebhook', { ...inContent(account, { id }), json: { enabled: false } })
    const requests = [await arrived(own), await about(operators, id)].map(({ headers, body }) => ({
      id: headers['webhook-id'],
      ...(JSON.parse(body.toString()) as object),
    }))
    expect(requests[0]).toMatchObject({
      type: 'webhook.disabled',
      data: { workspace: { id: account.ws }, webhook: { id }, reason: 'manual' },
    })
    expect(requests[1]).toEqual(requests[0])
    await done('deleteOperationalWebhook', { ...admin })
  })
}
