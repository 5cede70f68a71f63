import { expect, test } from 'vitest'
import { adsEvent, contentEvent } from '../../sampleEvents.ts'
import { type Account, openAccount, serviceOf } from '../accounts.ts'
import { expectProblem } from '../expectProblem.ts'
import { withCode } from '../operations.ts'
import { addAdsWebhook, adsWebhookJson, inAds } from '../samples/ads.ts'
import { addContentWebhook, inContent } from '../samples/content.ts'
import { sampleIn } from '../samples/index.ts'
import { call, done, QUOTAS } from '../world.ts'

const PUBLISH = {
  content: { one: 'publishContentEvent', many: 'publishContentEvents', as: inContent, event: contentEvent },
  ads: { one: 'publishAdsEvent', many: 'publishAdsEvents', as: inAds, event: adsEvent },
} as const

const BATCH = 1000

/** Publishes whole batches until one is rejected, so that publishes are rejected for some seconds. */
async function useUp(account: Account): Promise<number> {
  const { many, as, event } = PUBLISH[account.service]
  for (let taken = 0; taken < 20; taken++) {
    const json = { events: Array.from({ length: BATCH }, () => event()) }
    if ((await call(many, { ...as(account), json })).status === 429) return taken
  }
  throw new Error('20 batches were taken')
}

const PUBLISHING = Object.values(PUBLISH).flatMap(({ one, many }): string[] => [one, many])
/** Operations that change something in a workspace, except publishing. */
const CHANGES = withCode('quota_exceeded').filter(([id]) => !PUBLISHING.includes(id))

const CHANGE = {
  content: {
    add: addContentWebhook,
    update: 'updateContentWebhook',
    as: inContent,
    json: { description: 'x' },
  },
  ads: { add: addAdsWebhook, update: 'updateAdsWebhook', as: inAds, json: { description: 'x' } },
} as const

/** Changes a webhook until that is rejected, so that changes are rejected for some seconds. */
async function changeTooMuch(account: Account): Promise<void> {
  const { add, update, as, json } = CHANGE[account.service]
  const { id } = await add(account)
  for (let changes = 0; changes < QUOTAS.changesPerMinute * 20; changes++) {
    if ((await call(update, { ...as(account, { id }), json })).status === 429) return
  }
  throw new Error(`${QUOTAS.changesPerMinute * 20} changes were made`)
}

export function quotaStories(): void {
  test.each(['content', 'ads'] as const)(
    'a workspace of %s that exceeds its publish rate must wait, and no other does',
    async (service) => {
      const { one, many, as, event } = PUBLISH[service]
      const [account, other] = [await openAccount(service), await openAccount(service)]
      expect(await useUp(account)).toBeGreaterThan(1)
      const { status, json, headers } = await call(one, { ...as(account), json: event() })
      expect([status, json.code]).toEqual([429, 'quota_exceeded'])
      expect(json.detail).toContain(`more than ${QUOTAS.eventsPerSecond} events per second`)
      expect(json.detail).toContain('ask the operator to raise POSTHORN_MAX_EVENTS_PER_SECOND_PER_WORKSPACE')
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      await expectProblem(many, { ...as(account), json: { events: [event()] } }, 429, 'quota_exceeded')
      expect((await call(one, { ...as(other), json: event() })).status).toBe(202)
    },
  )

  test('an endpoint beyond the limit is rejected with the name of who can raise it', async () => {
    const account = await openAccount('ads')
    for (let made = 0; made < QUOTAS.webhooks; made++) await addAdsWebhook(account)
    const { status, json } = await call('createAdsWebhook', { ...inAds(account), json: adsWebhookJson() })
    expect([status, json.code]).toEqual([409, 'webhook_limit_reached'])
    expect(json.detail).toBe(
      `The workspace has the maximum of ${QUOTAS.webhooks} webhooks. Delete one first, or ask the operator to raise POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE.`,
    )
  })

  test.each(CHANGES)('%s is rejected while a workspace changes too much', async (id, operation) => {
    const account = await openAccount(serviceOf(operation))
    const sample = await sampleIn(account, operation)
    await changeTooMuch(account)
    const { status, json, headers } = await call(id, sample)
    expect([status, json.code]).toEqual([429, 'quota_exceeded'])
    expect(json.detail).toContain('ask the operator to raise POSTHORN_MAX_CHANGES_PER_MINUTE_PER_WORKSPACE')
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })

  test("replays beyond a workspace's limit are rejected, and none is lost", async () => {
    const account = await openAccount('ads')
    const ask = () => call<{ id: string }>('replayAdsDeliveries', { ...inAds(account), json: {} })
    const codes = new Set<number>()
    // Empty replays finish at once, so some of those requested together may start after others have ended.
    for (let round = 0; round < 50 && !codes.has(429); round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, ask))
      for (const { status } of answers) codes.add(status)
      for (const { status, json } of answers.slice(0, 3))
        if (status === 202) await done('getAdsReplay', inAds(account, { id: json.id }))
    }
    expect([...codes].sort()).toEqual([202, 429])
  })
}
