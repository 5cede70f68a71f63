import { expect, test } from 'vitest'
import { openAccount, unique } from '../accounts.ts'
import { receivedAt } from '../arrivals.ts'
import { expectProblem } from '../expectProblem.ts'
import { addAdsWebhook, inAds, publishAds } from '../samples/ads.ts'
import { addContentWebhook, inContent, publishContent } from '../samples/content.ts'
import { call, done, receiver } from '../world.ts'

const SERVICES = {
  content: {
    add: addContentWebhook,
    publish: publishContent,
    as: inContent,
    read: 'getContentWebhook',
    update: 'updateContentWebhook',
    log: 'listContentAuditLog',
    rate: 'max_per_second',
    inFlight: 'max_in_flight',
    more: 'has_more',
    emptyAt: 'empty_at',
  },
  ads: {
    add: addAdsWebhook,
    publish: publishAds,
    as: inAds,
    read: 'getAdsWebhook',
    update: 'updateAdsWebhook',
    log: 'listAdsAuditLog',
    rate: 'maxPerSecond',
    inFlight: 'maxInFlight',
    more: 'hasMore',
    emptyAt: 'emptyAt',
  },
} as const

interface Entry {
  readonly details: Readonly<Record<string, unknown>>
}

export function limitStories(): void {
  test.each(['content', 'ads'] as const)(
    '%s: a webhook with a limit gets no more at once, reports what waits, and gets all of it once the limit is removed',
    async (service) => {
      const { add, publish, as, read, update, log, rate, inFlight, more, emptyAt } = SERVICES[service]
      const account = await openAccount(service)
      const hook = `/ok/${unique('hook')}`
      const { id } = await add(account, hook)
      const on = as(account, { id })
      const change = (json: object) => done(update, { ...on, json })
      expect(await done(read, on)).toMatchObject({ [rate]: null, [inFlight]: null, backlog: null })
      expect(await change({ [rate]: 0.01, [inFlight]: 1 })).toMatchObject({ [rate]: 0.01, [inFlight]: 1 })
      for (let event = 0; event < 12; event++) await publish(account)
      const limited = await done<Record<string, unknown>>(read, on)
      expect(limited.backlog).toMatchObject({ [more]: false, [emptyAt]: expect.any(String) })
      expect((limited.backlog as { length: number }).length).toBeGreaterThanOrEqual(11)
      expect(receiver().received(hook).length).toBeLessThanOrEqual(1)
      await change({ [rate]: null, [inFlight]: null })
      await receivedAt(hook, 12)
      expect(await done(read, on)).toMatchObject({ [rate]: null, [inFlight]: null, backlog: null })
      const query = { target: id }
      const { data } = await done<{ data: readonly Entry[] }>(log, { ...as(account), query })
      expect(data.map(({ details }) => details)).toMatchObject([
        { max_per_second: null, max_in_flight: null },
        { max_per_second: 0.01, max_in_flight: 1 },
        {},
      ])
    },
  )

  test.each(['content', 'ads'] as const)('%s: a limit has bounds', async (service) => {
    const { add, as, update, rate, inFlight } = SERVICES[service]
    const account = await openAccount(service)
    const { id } = await add(account)
    for (const [member, value] of [
      [rate, 0],
      [rate, 10_001],
      [rate, '5'],
      [inFlight, 0],
      [inFlight, 1.5],
      [inFlight, 1_001],
    ] as const) {
      const what = { ...as(account, { id }), json: { [member]: value } }
      await expectProblem(update, what, 422, 'invalid_request')
      const { json } = await call<{ errors: readonly { pointer: string }[] }>(update, what)
      expect(json.errors.map(({ pointer }) => pointer)).toEqual([`/${member}`])
    }
  })
}
