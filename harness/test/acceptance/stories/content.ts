import { createReceiver } from '@posthorn/receiver'
import { expect, test } from 'vitest'
import { eventually } from '../../../src/support/waiting.ts'
import { CONTENT_TYPE, contentEvent } from '../../sampleEvents.ts'
import { type Account, admin, openAccount, unique } from '../accounts.ts'
import { receivedAt } from '../arrivals.ts'
import { expectProblem } from '../expectProblem.ts'
import {
  addContentWebhook,
  type ContentDelivery,
  contentDelivery,
  contentWebhookJson,
  deliverContent,
  inContent,
  postpone,
  publishContent,
  SINCE,
} from '../samples/content.ts'
import { settled } from '../settled.ts'
import { call, done, receiver } from '../world.ts'

const MANUAL_SENDS_PER_MINUTE = 10
const WEBHOOKS_PER_WORKSPACE = 20

interface SentDelivery extends ContentDelivery {
  readonly attempts: readonly (ContentDelivery['attempts'][number] & {
    readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  })[]
  readonly request_body: string
}

interface Recovery {
  readonly id: string
  readonly status: string
  readonly missed: { readonly cursor: string | null }
}

const readDelivery = (account: Account, id: string, did: string) =>
  done<SentDelivery>('getContentDelivery', inContent(account, { id, did }))

export function contentStories(): void {
  test('an event arrives signed, and the event, the feed and the log agree', async () => {
    const account = await openAccount('content')
    const hook = `/ok/${unique('hook')}`
    const { id, signing_secret: secrets } = await addContentWebhook(account, hook)
    const { id: eventId } = await publishContent(account, { links: { app: 'https://app.example.com/1' } })
    const { id: did } = await contentDelivery(account, id, ['delivered'])

    const [arrived] = await receivedAt(hook, 1)
    const verified = await createReceiver({ scheme: 'standard', secrets }).verify(
      arrived!.body,
      arrived!.headers,
    )
    expect(verified.id).toBe(eventId)
    const event = await done<object>('getContentEvent', inContent(account, { id: eventId }))
    expect(event).toMatchObject({ id: eventId, ...JSON.parse(arrived!.body.toString()) })
    await settled()
    expect(await done('listContentEvents', inContent(account))).toMatchObject({
      data: [event],
      has_more: false,
    })
    const delivery = await readDelivery(account, id, did)
    expect(delivery).toMatchObject({ event_id: eventId, request_body: arrived!.body.toString() })
    expect(delivery.attempts).toMatchObject([{ number: 1, trigger: 'schedule', status_code: 204 }])
    const { url, headers } = delivery.attempts[0]!.request
    expect(url).toBe(receiver().urlOf(hook))
    expect(headers['webhook-signature']).toBe(arrived!.headers['webhook-signature'])
  })

  test('a delivery that keeps failing ends failed, and a redelivery adds one attempt with the same bytes', async () => {
    const account = await openAccount('content')
    const hook = `/fail/${unique('hook')}`
    const { id } = await addContentWebhook(account, hook)
    await publishContent(account)
    const failed = await contentDelivery(account, id, ['failed'])
    expect(failed.attempts.map(({ trigger, status_code }) => [trigger, status_code])).toEqual(
      Array(3).fill(['schedule', 500]),
    )
    const again = inContent(account, { id, did: failed.id })
    expect(await done('redeliverContentDelivery', again)).toMatchObject({ id: failed.id, status: 'pending' })
    const arrived = await receivedAt(hook, 4)
    expect(new Set(arrived.map(({ body }) => body.toString())).size).toBe(1)
    expect(new Set(arrived.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([failed.event_id]))
    const after = await contentDelivery(account, id, ['failed'])
    expect(after.attempts.map(({ trigger }) => trigger)).toEqual([...Array(3).fill('schedule'), 'redeliver'])
  })

  test('a rotated secret signs at once, and so does the previous one', async () => {
    const account = await openAccount('content')
    const hook = `/ok/${unique('hook')}`
    const { id, signing_secret: before } = await addContentWebhook(account, hook)
    const rotated = await done<{ signing_secret: string }>(
      'rotateContentWebhookSecret',
      inContent(account, { id }),
    )
    expect(rotated.signing_secret).not.toBe(before)
    await publishContent(account)
    const [{ body, headers } = { body: Buffer.of(), headers: {} }] = await receivedAt(hook, 1)
    for (const secrets of [before, rotated.signing_secret]) {
      expect(await createReceiver({ scheme: 'standard', secrets }).verify(body, headers)).toBeDefined()
    }
  })

  test('tests and redeliveries share a limit, and return what is left of it', async () => {
    const account = await openAccount('content')
    const { id, did } = await deliverContent(account)
    const waiting = await postpone(account)
    const [tests, redelivery] = [inContent(account, { id }), inContent(account, { id, did })]
    for (let left = MANUAL_SENDS_PER_MINUTE - 1; left >= 0; left--) {
      const { status, headers } = await call('testContentWebhook', tests)
      expect([status, headers['ratelimit-remaining'], headers['ratelimit-limit']]).toEqual([
        202,
        `${left}`,
        '10',
      ])
    }
    for (const [operation, what] of [
      ['testContentWebhook', tests],
      ['redeliverContentDelivery', redelivery],
      ['retryContentWebhook', tests],
      ['retryContentDelivery', inContent(account, { id: waiting.id, did: waiting.did })],
      ['recoverContentWebhook', { ...tests, json: SINCE }],
    ] as const) {
      const { status, json, headers } = await call(operation, what)
      expect([status, json.code, headers['ratelimit-remaining']]).toEqual([429, 'rate_limited', '0'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
      expect(headers.ratelimit).toBe(`"manual-sends";r=0;t=${headers['ratelimit-reset']}`)
      expect(headers['ratelimit-policy']).toBe('"manual-sends";q=10;w=60')
    }
    const other = await openAccount('content')
    const { id: theirs } = await addContentWebhook(other)
    expect((await call('testContentWebhook', inContent(other, { id: theirs }))).status).toBe(202)
  })

  test('a pending delivery can be retried now, whatever delay its receiver asked for; a finished one cannot', async () => {
    const account = await openAccount('content')
    const { id, did, hook } = await postpone(account)
    const what = inContent(account, { id, did })
    expect(await done('retryContentDelivery', what)).toMatchObject({ id: did, status: 'pending' })
    await receivedAt(hook, 2)
    await eventually(
      async () => ((await readDelivery(account, id, did)).attempts.length === 2 ? true : null),
      { withinMs: 10_000, what: 'the second attempt' },
    )
    receiver().repair(hook)
    await done('retryContentDelivery', what)
    const { attempts } = await contentDelivery(account, id, ['delivered'])
    expect(attempts.map(({ trigger }) => trigger)).toEqual(['schedule', 'retry', 'retry'])
    await expectProblem('retryContentDelivery', what, 409, 'delivery_not_pending')
  })

  test('a retry of all pending deliveries stops at the first failure; once the receiver works, all arrive', async () => {
    const account = await openAccount('content')
    const { id, hook } = await postpone(account, 6)
    const what = inContent(account, { id })
    const asked = await done<{ status: string; pending: number }>('retryContentWebhook', what)
    expect(asked).toMatchObject({ status: 'running', pending: 6, delivered: 0 })
    await receivedAt(hook, 7)
    await eventually(
      async () => {
        const { status } = await done<{ status: string }>('getContentRetry', what)
        return status === 'failed' ? true : null
      },
      { withinMs: 10_000, what: 'the end of the retry' },
    )
    receiver().repair(hook)
    await eventually(
      async () => {
        await call('retryContentWebhook', what)
        return receiver().received(hook).length === 13 ? true : null
      },
      { withinMs: 10_000, everyMs: 1_000, what: 'six deliveries' },
    )
  })

  test('failed deliveries can be recovered, and missed events are in the feed', async () => {
    const account = await openAccount('content')
    const hook = `/fail/${unique('hook')}`
    const { id } = await addContentWebhook(account, hook)
    await publishContent(account)
    await contentDelivery(account, id, ['failed'])
    const change = (json: object) => done('updateContentWebhook', { ...inContent(account, { id }), json })
    await change({ paused: true })
    await expectProblem(
      'recoverContentWebhook',
      { ...inContent(account, { id }), json: SINCE },
      409,
      'webhook_not_on',
    )
    const { id: missedId } = await publishContent(account)
    await change({ paused: false })
    await settled()
    const recover = (json: object) =>
      call<Recovery>('recoverContentWebhook', { ...inContent(account, { id }), json: { ...SINCE, ...json } })
    const preview = await recover({ dry_run: true })
    expect([preview.status, preview.json]).toMatchObject([200, { total: 1, done: 0, missed: { count: 1 } }])
    const query = { after: preview.json.missed.cursor! }
    const feed = await done('listContentEvents', { ...inContent(account), query })
    expect(feed).toMatchObject({ data: [{ id: missedId }] })
    receiver().repair(hook)
    const { json: started, headers } = await recover({})
    const rid = started.id
    expect(headers.location).toBe(`/v1/workspaces/${account.ws}/webhooks/${id}/recoveries/${rid}`)
    const recovered = await eventually(
      async () => {
        const read = await done<Recovery>('getContentRecovery', inContent(account, { id, rid }))
        return read.status === 'done' ? read : null
      },
      { withinMs: 10_000, what: 'the end of the recovery' },
    )
    expect(recovered).toMatchObject({ total: 1, done: 1, delivered: 1, failed: 0 })
    const { attempts } = await contentDelivery(account, id, ['delivered'])
    expect(attempts.map(({ trigger }) => trigger)).toEqual([...Array(3).fill('schedule'), 'recover'])
    expect(await done('cancelContentRecovery', inContent(account, { id, rid }))).toMatchObject({
      status: 'done',
      delivered: 1,
    })
  })

  test('a delivery in flight is not sent again', async () => {
    const account = await openAccount('content')
    const hook = `/hold/${unique('hook')}`
    const { id } = await addContentWebhook(account, hook)
    await publishContent(account)
    await receivedAt(hook, 1)
    const { id: did } = await contentDelivery(account, id, ['pending'])
    const again = inContent(account, { id, did })
    await expectProblem('redeliverContentDelivery', again, 409, 'delivery_not_finished')
    receiver().release(hook)
    await contentDelivery(account, id, ['delivered'])
    expect((await call('redeliverContentDelivery', again)).status).toBe(202)
    await receivedAt(hook, 2)
    receiver().release(hook)
  })

  test.each([
    ['off', { enabled: false }],
    ['paused', { paused: true }],
  ])('nothing can be sent manually to a webhook that is %s', async (status, json) => {
    const account = await openAccount('content')
    const { id, did } = await deliverContent(account)
    const changed = await done('updateContentWebhook', { ...inContent(account, { id }), json })
    expect(changed).toMatchObject({ status })
    await expectProblem('testContentWebhook', inContent(account, { id }), 409, 'webhook_not_on')
    await expectProblem('redeliverContentDelivery', inContent(account, { id, did }), 409, 'webhook_not_on')
    await expectProblem('retryContentDelivery', inContent(account, { id, did }), 409, 'webhook_not_on')
    await expectProblem('retryContentWebhook', inContent(account, { id }), 409, 'webhook_not_on')
  })

  test('a disabled webhook cannot be paused, and can be enabled again', async () => {
    const account = await openAccount('content')
    const { id } = await addContentWebhook(account)
    const change = (json: object) => ({ ...inContent(account, { id }), json })
    const off = await done('updateContentWebhook', change({ enabled: false }))
    expect(off).toMatchObject({ enabled: false, status: 'off', off_reason: 'manual' })
    await expectProblem('updateContentWebhook', change({ paused: true }), 409, 'webhook_not_on')
    const on = await done('updateContentWebhook', change({ enabled: true }))
    expect(on).toMatchObject({ enabled: true, status: 'on', off_reason: null })
  })

  test('a workspace has at most 20 webhooks, and deleting one makes room for another', async () => {
    const account = await openAccount('content')
    const made = await Promise.all(
      Array.from({ length: WEBHOOKS_PER_WORKSPACE }, () => addContentWebhook(account)),
    )
    const another = () => ({ ...inContent(account), json: contentWebhookJson() })
    await expectProblem('createContentWebhook', another(), 409, 'webhook_limit_reached')
    await done('deleteContentWebhook', inContent(account, { id: made[0]!.id }))
    expect((await call('createContentWebhook', another())).status).toBe(201)
  })

  test('an event id is unique: the same event is recognized, another is rejected, single or in a batch', async () => {
    const account = await openAccount('content')
    const event = { ...contentEvent(), id: `evt_${unique('own')}` }
    const publish = (json: object) => call('publishContentEvent', { ...inContent(account), json })
    expect((await publish(event)).json).toEqual({ id: event.id, repeated: false })
    expect((await publish(event)).json).toEqual({ id: event.id, repeated: true })
    const other = { ...event, data: { subject_id: 'sch_other' } }
    const alone = await publish(other)
    expect([alone.status, alone.json.errors?.[0]?.pointer]).toEqual([409, '/id'])
    const events = [contentEvent(), other]
    const batch = await call('publishContentEvents', { ...inContent(account), json: { events } })
    expect([batch.status, batch.json.errors?.[0]?.pointer]).toEqual([409, '/events/1/id'])
    await settled()
    const feed = await done<{ data: object[] }>('listContentEvents', inContent(account))
    expect(feed.data).toHaveLength(1)
  })

  test('events of one entity are found by its id, also if no webhook received them', async () => {
    const account = await openAccount('content')
    const subject = unique('sch_')
    const event = { ...contentEvent(), data: { subject_id: subject } }
    const { id } = await publishContent(account, event)
    await publishContent(account)
    const webhook = await addContentWebhook(account)
    const { id: delivered } = await publishContent(account, event)
    await contentDelivery(account, webhook.id, ['delivered'])
    await settled()
    const query = { q: subject }
    expect(await done('listContentEvents', { ...inContent(account), query })).toMatchObject({
      data: [{ id: delivered }, { id }],
      summaries: [
        { id: delivered, deliveries: { total: 1, delivered: 1 } },
        { id, deliveries: { total: 0 } },
      ],
      has_more: false,
      indexed_until: null,
    })
    const log = {
      data: [{ event_id: delivered, status: 'delivered' }],
      next_cursor: null,
      indexed_until: null,
    }
    expect(await done('listAllContentDeliveries', { ...inContent(account), query })).toMatchObject(log)
    const ofWebhook = { ...inContent(account, { id: webhook.id }), query }
    expect(await done('listContentDeliveries', ofWebhook)).toMatchObject(log)
  })

  test('every error in a batch is reported with its position, and none of the batch is published', async () => {
    const account = await openAccount('content')
    const events = [contentEvent(), contentEvent({ type: 'no.such.type' }), contentEvent({ data: {} })]
    const { status, json } = await call('publishContentEvents', { ...inContent(account), json: { events } })
    expect([status, json.errors?.map(({ pointer }) => pointer)]).toEqual([
      422,
      ['/events/1/type', '/events/2/data/subject_id'],
    ])
    await settled()
    expect(await done('listContentEvents', inContent(account))).toMatchObject({ data: [] })
  })

  test('the feed continues where it ended, and every list can be paged to its end', async () => {
    const account = await openAccount('content')
    const first = await publishContent(account)
    await settled()
    const head = await done<{ next_cursor: string }>('listContentEvents', inContent(account))
    const second = await publishContent(account)
    await settled()
    for (const after of [head.next_cursor, first.id]) {
      const { data } = await done<{ data: { id: string }[] }>('listContentEvents', {
        ...inContent(account),
        query: { after },
      })
      expect(data.map(({ id }) => id)).toEqual([second.id])
    }
    const made = [await addContentWebhook(account), await addContentWebhook(account)]
    const read = (query: Record<string, string | number>) =>
      done<{ data: { id: string }[]; next_cursor: string | null }>('listContentWebhooks', {
        ...inContent(account),
        query,
      })
    const page = await read({ limit: 1 })
    const last = await read({ limit: 1, cursor: page.next_cursor! })
    expect([page, last].map(({ data }) => data[0]!.id)).toEqual(made.map(({ id }) => id).reverse())
    expect(last.next_cursor).toBeNull()
  })

  test('samples are generated until there are real events', async () => {
    const account = await openAccount('content')
    const what = { ...inContent(account), query: { event: CONTENT_TYPE } }
    expect(await done('sampleContentEvent', what)).toMatchObject({ source: 'example', event: CONTENT_TYPE })
    await publishContent(account)
    expect(await done('sampleContentEvent', what)).toMatchObject({ source: 'real' })
  })

  test('a suspended workspace holds its deliveries until it is resumed', async () => {
    const account = await openAccount('content')
    const hook = `/fail/${unique('hook')}`
    const { id } = await addContentWebhook(account, hook)
    await publishContent(account)
    await receivedAt(hook, 1)
    const workspace = { ...admin, params: { ws: account.ws } }
    expect(await done('suspendWorkspace', workspace)).toMatchObject({ suspended_at: expect.any(String) })
    expect(await done('getContentWebhook', inContent(account, { id }))).toMatchObject({ status: 'paused' })
    await expectProblem('testContentWebhook', inContent(account, { id }), 409, 'webhook_not_on')
    expect(await done('resumeWorkspace', workspace)).toMatchObject({ suspended_at: null })
    const { attempts } = await contentDelivery(account, id, ['failed'])
    expect(attempts).toHaveLength(3)
  })
}
