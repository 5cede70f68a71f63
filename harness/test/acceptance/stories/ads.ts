import { randomUUID } from 'node:crypto'
import { createReceiver } from '@posthorn/receiver'
import { expect, test } from 'vitest'
import { eventually } from '../../../src/support/waiting.ts'
import { ADS_TYPE, adsEvent } from '../../sampleEvents.ts'
import { type Account, admin, openAccount, unique } from '../accounts.ts'
import { receivedAt } from '../arrivals.ts'
import { expectProblem } from '../expectProblem.ts'
import {
  type AdsDelivery,
  addAdsWebhook,
  adsDelivery,
  inAds,
  letDie,
  postponeAds,
  publishAds,
  SINCE,
} from '../samples/ads.ts'
import { settled } from '../settled.ts'
import { call, done, receiver } from '../world.ts'

interface Replay {
  readonly id: string
  readonly status: string
  readonly total: number
  readonly replayed: number
}

const FAILING = '/fail/always'

const readDelivery = (account: Account, id: string) =>
  done<AdsDelivery & { readonly requestBody: string }>('getAdsDelivery', inAds(account, { id }))

/** Waits until a delivery is dead after this many attempts. */
const deadAfter = (account: Account, id: string, attempts: number) =>
  eventually(
    async () => {
      const delivery = await readDelivery(account, id)
      return delivery.status === 'dead' && delivery.attempts.length === attempts ? delivery : null
    },
    { withinMs: 10_000, what: `a delivery that is dead after ${attempts} attempts` },
  )

export function adsStories(): void {
  test('an event arrives signed, and the event, the feed and the log agree', async () => {
    const account = await openAccount('ads')
    const hook = `/ok/${unique('hook')}`
    const { id: webhookId, signingSecret: secrets } = await addAdsWebhook(account, hook)
    const { id: eventId } = await publishAds(account)
    const { id: deliveryId } = await adsDelivery(account, webhookId, ['delivered'])

    const [arrived] = await receivedAt(hook, 1)
    const receive = createReceiver({ scheme: 'service', secrets })
    expect(await receive.verify(arrived!.body, arrived!.headers)).toMatchObject({
      deliveryId,
      type: ADS_TYPE,
    })
    const event = await done<object>('getAdsEvent', inAds(account, { id: eventId }))
    expect(event).toEqual(JSON.parse(arrived!.body.toString()))
    await settled()
    expect(await done('listAdsEvents', inAds(account))).toMatchObject({ data: [event], hasMore: false })
    const delivery = await readDelivery(account, deliveryId)
    expect(delivery).toMatchObject({ eventId, requestBody: arrived!.body.toString() })
    expect(delivery.attempts).toMatchObject([{ number: 1, trigger: 'schedule', statusCode: 204 }])
  })

  test('an endpoint without types gets every event', async () => {
    const account = await openAccount('ads')
    const hook = `/ok/${unique('hook')}`
    const json = { url: receiver().urlOf(hook) }
    expect(await done('createAdsWebhook', { ...inAds(account), json })).toMatchObject({ types: [] })
    await publishAds(account)
    await receivedAt(hook, 1)
  })

  test('after a rotation only the new secret signs', async () => {
    const account = await openAccount('ads')
    const hook = `/ok/${unique('hook')}`
    const { id, signingSecret: before } = await addAdsWebhook(account, hook)
    const { signingSecret } = await done<{ signingSecret: string }>(
      'rotateAdsWebhookSecret',
      inAds(account, { id }),
    )
    await publishAds(account)
    const [{ body, headers } = { body: Buffer.of(), headers: {} }] = await receivedAt(hook, 1)
    const verify = (secrets: string) => createReceiver({ scheme: 'service', secrets }).verify(body, headers)
    expect(await verify(signingSecret)).toBeDefined()
    await expect(verify(before)).rejects.toThrow()
  })

  test('replaying a dead delivery repeats all its attempts; one that is not dead cannot be replayed', async () => {
    const account = await openAccount('ads')
    const { delivery } = await letDie(account)
    expect(delivery.attempts).toHaveLength(3)
    const what = inAds(account, { id: delivery.id })
    expect(await done('replayAdsDelivery', what)).toMatchObject({ id: delivery.id, status: 'pending' })
    const { attempts } = await deadAfter(account, delivery.id, 6)
    expect(attempts[3]).toMatchObject({ number: 4, trigger: 'replay' })

    const { id: webhookId } = await addAdsWebhook(account)
    await publishAds(account)
    const { id } = await adsDelivery(account, webhookId, ['delivered'])
    await expectProblem('replayAdsDelivery', inAds(account, { id }), 409, 'delivery_not_dead')
  })

  test('a test is the example of a type, sent once', async () => {
    const account = await openAccount('ads')
    const hook = `/fail/${unique('hook')}`
    const { id } = await addAdsWebhook(account, hook)
    await done('testAdsWebhook', { ...inAds(account, { id }), json: {} })
    const [arrived] = await receivedAt(hook, 1)
    expect(JSON.parse(arrived!.body.toString())).toMatchObject({ type: ADS_TYPE })
    const { attempts } = await adsDelivery(account, id, ['dead'])
    expect(attempts).toMatchObject([{ number: 1, trigger: 'test' }])
  })

  test('a pending delivery can be retried now, and dead ones can be recovered', async () => {
    const account = await openAccount('ads')
    const { webhookId, delivery, hook } = await postponeAds(account)
    const what = inAds(account, { id: delivery.id })
    expect(await done('retryAdsDelivery', what)).toMatchObject({ id: delivery.id, status: 'pending' })
    await receivedAt(hook, 2)
    await eventually(async () => ((await call('retryAdsDelivery', what)).status === 409 ? true : null), {
      withinMs: 10_000,
      what: 'the end of the delivery',
    })
    await expectProblem('retryAdsDelivery', what, 409, 'delivery_not_pending')
    receiver().repair(hook)
    const webhook = inAds(account, { id: webhookId })
    const preview = await call('recoverAdsWebhook', { ...webhook, json: { ...SINCE, dryRun: true } })
    expect([preview.status, preview.json]).toMatchObject([200, { total: 1, done: 0 }])
    const { id } = await done<{ id: string }>('recoverAdsWebhook', { ...webhook, json: SINCE })
    await eventually(
      async () => {
        const read = await done<{ status: string; delivered: number }>(
          'getAdsRecovery',
          inAds(account, { id }),
        )
        return read.status === 'done' && read.delivered === 1 ? read : null
      },
      { withinMs: 10_000, what: 'the end of the recovery' },
    )
    expect(await done('cancelAdsRecovery', inAds(account, { id }))).toMatchObject({ status: 'done' })
  })

  test('nothing can be replayed while the workspace is suspended', async () => {
    const account = await openAccount('ads')
    const { delivery } = await letDie(account)
    const workspace = { ...admin, params: { ws: account.ws } }
    await done('suspendWorkspace', workspace)
    const what = inAds(account, { id: delivery.id })
    await expectProblem('replayAdsDelivery', what, 409, 'webhook_not_on')
    await expectProblem('retryAdsDelivery', what, 409, 'webhook_not_on')
    const { data } = await done<{ data: { webhookId: string }[] }>('listAdsDeliveries', inAds(account))
    const webhook = inAds(account, { id: data[0]!.webhookId })
    await expectProblem('retryAdsWebhook', webhook, 409, 'webhook_not_on')
    await expectProblem('testAdsWebhook', webhook, 409, 'webhook_not_on')
    await expectProblem('recoverAdsWebhook', { ...webhook, json: SINCE }, 409, 'webhook_not_on')
    await done('resumeWorkspace', workspace)
    expect((await call('replayAdsDelivery', what)).status).toBe(202)
  })

  test('a bulk replay has a dry run that counts, and shows its progress', async () => {
    const account = await openAccount('ads')
    const endpoints = [await addAdsWebhook(account, FAILING), await addAdsWebhook(account, FAILING)]
    await publishAds(account)
    const [one, other] = await Promise.all(endpoints.map(({ id }) => adsDelivery(account, id, ['dead'])))
    const ask = (json: object) =>
      call<Replay & { hasMore?: boolean }>('replayAdsDeliveries', { ...inAds(account), json })
    const preview = await ask({ dryRun: true })
    expect([preview.status, preview.json]).toEqual([200, { total: 2, hasMore: false }])
    const started = await ask({ webhookId: endpoints[0]!.id })
    expect([started.status, started.json.total]).toEqual([202, 1])
    expect(started.headers.location).toBe(`/api/v1/webhook-deliveries/replays/${started.json.id}`)
    await eventually(
      async () => {
        const replay = await done<Replay>('getAdsReplay', inAds(account, { id: started.json.id }))
        return replay.status === 'finished' && replay.replayed === 1 ? replay : null
      },
      { withinMs: 10_000, what: 'the end of the replay' },
    )
    await deadAfter(account, one!.id, 6)
    expect((await readDelivery(account, other!.id)).attempts).toHaveLength(3)
  })

  test.each([
    ['an endpoint of another workspace', { webhookId: randomUUID() }, '/webhookId'],
    ['an unknown type', { eventType: 'no.such.type' }, '/eventType'],
    ['an invalid time', { from: 'yesterday' }, '/from'],
    [
      'a span that ends before it begins',
      { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
      '/to',
    ],
  ])('a replay of %s is rejected', async (_, json, pointer) => {
    const what = { ...inAds(await openAccount('ads')), json }
    const { status, json: problem } = await call('replayAdsDeliveries', what)
    expect([status, problem.errors?.[0]?.pointer]).toEqual([422, pointer])
  })

  test('an event id is unique: the same event is recognized, another is rejected, single or in a batch', async () => {
    const account = await openAccount('ads')
    const event = adsEvent({ id: randomUUID() })
    const publish = (json: object) => call('publishAdsEvent', { ...inAds(account), json })
    expect((await publish(event)).json).toMatchObject({ repeated: false })
    expect((await publish(event)).json).toMatchObject({ repeated: true })
    const other = { ...event, payload: { from: 'active', to: 'paused' } }
    const alone = await publish(other)
    expect([alone.status, alone.json.code, alone.json.errors?.[0]?.pointer]).toEqual([
      409,
      'event_id_conflict',
      '/id',
    ])
    const events = [adsEvent(), other]
    const batch = await call('publishAdsEvents', { ...inAds(account), json: { events } })
    expect([batch.status, batch.json.errors?.[0]?.pointer]).toEqual([409, '/events/1/id'])
    await settled()
    expect((await done<{ data: object[] }>('listAdsEvents', inAds(account))).data).toHaveLength(1)
  })
}
