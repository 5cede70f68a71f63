import type { Behavior } from '../../receivers/behavior.ts'
import { EVENTS } from '../../support/events.ts'
import { Api } from '../../support/http.ts'
import { eventually } from '../../support/waiting.ts'
import { createWorkspace } from '../../support/workspaces.ts'
import { fill } from '../measure/fill.ts'
import { type MeasuringReceiver, startMeasuringReceiver } from '../measure/fixedRate.ts'
import type { Stage } from '../stage/stage.ts'
import { prepareLoad } from './prepareLoad.ts'

/** Number of rare events in a log. They are its oldest, so that a search for them passes all the others. */
const RARE_EVENTS = 10
/** Shares of all deliveries; the rest belongs to the workspace of the content service. */
const ADS_SHARE = 0.2
const WAITING_SHARE = 0.1
const CONTENT_WEBHOOKS = 8
const ADS_WEBHOOKS = 4
const WAITING_WEBHOOKS = 4
const MOODS = 100
/** Names the delivery in every request of the ads service, whose requests contain no event id. */
const ADS_HEADER = 'x-service-delivery'

const status = (code: number): Behavior => ({ kind: 'status', status: code })
/** The longest retry delay that the service accepts. */
const LATER: Behavior = { kind: 'status', status: 503, headers: { 'retry-after': '86400' } }
const UNANSWERED: Behavior = { kind: 'trick', trick: 'hangUp' }

/** @returns mostly 200, and each of the others once in {@link MOODS} */
const mostly200 = (...others: readonly Behavior[]): Behavior => ({
  kind: 'moody',
  moods: [...Array.from({ length: MOODS - others.length }, () => status(200)), ...others],
})

/** Deliveries that fail reach their end at once. */
const FILLING = { POSTHORN_CONTENT_RETRY: '100ms', POSTHORN_ADS_RETRY: '100ms' }

/** A workspace whose log is read. */
export interface LoggedWorkspace {
  readonly id: string
  readonly key: string
  readonly webhookIds: readonly string[]
  readonly commonType: string
  /** The type of its oldest events, which are the only ones answered with 204. */
  readonly rareType: string
  /** Unix ms; the rare events are older. */
  readonly madeBetween: readonly [from: number, to: number]
}

export interface FilledLog {
  /** Has most deliveries: 3 of 100 failed, each in another way; ten of the oldest are retried. */
  readonly content: LoggedWorkspace
  /** 2 of 100 deliveries are dead, and one is retried in a day. */
  readonly ads: LoggedWorkspace
}

/** The setup while the log is filled. */
interface Filling {
  readonly stage: Stage
  readonly url: string
  readonly receiver: MeasuringReceiver
  readonly origin: string
}

/**
 * Creates a log with the service itself, which is then stopped. It is mostly healthy, in a workspace of each
 * service; a tenth of the deliveries wait for a retry. The receivers keep answering that way.
 * @param deliveries approximate number
 */
export async function fillLog(stage: Stage, deliveries: number): Promise<FilledLog> {
  const service = await stage.startService(FILLING)
  const [byEvent, byDelivery] = await Promise.all([
    startMeasuringReceiver(stage, { idsFile: null }),
    startMeasuringReceiver(stage, { idsFile: null, idHeader: ADS_HEADER }),
  ])
  const parts = { stage, url: service.url }
  const [ofAds, waiting] = [deliveries * ADS_SHARE, deliveries * WAITING_SHARE]
  const log = {
    content: await fillContent({ ...parts, ...byEvent }, deliveries - ofAds - waiting),
    ads: await fillAds({ ...parts, ...byDelivery }, ofAds),
  }
  await fillWaiting({ ...parts, ...byEvent }, waiting)
  await Promise.all([quiet(byEvent.receiver), quiet(byDelivery.receiver)])
  await service.stop()
  stage.check()
  return log
}

async function fillContent(filling: Filling, deliveries: number): Promise<LoggedWorkspace> {
  const group = 'content'
  const { common: rareType, make } = EVENTS.content
  const { url, origin, receiver } = filling
  const hooks = await prepareLoad(() => url, {
    webhooks: CONTENT_WEBHOOKS,
    webhooksPerWorkspace: CONTENT_WEBHOOKS,
    receiverOrigin: origin,
    group,
  })
  const [first, second] = [hooks[0]!, hooks[1]!]
  const { type: commonType } = first.event as { readonly type: string }
  const api = new Api(() => url)
  const publish = (events: readonly object[]) =>
    api.post(first.batchPath, { token: first.key, body: { events } })

  await api.patch(first.webhookPath, { token: first.key, body: { events: [commonType, rareType] } })
  await publish(rare(() => ({ type: rareType, data: make(rareType).content })))
  await requested(receiver, RARE_EVENTS)
  await behave(receiver, group, LATER)
  await publish(rare(() => second.event))
  await requested(receiver, 2 * RARE_EVENTS)
  await behave(receiver, group, mostly200(status(404), status(500), UNANSWERED))
  const from = Date.now()
  await fill(filling.stage, { url, hooks, events: deliveries, receiver })
  return {
    id: first.webhookPath.split('/').at(-3)!,
    key: first.key,
    webhookIds: hooks.map(({ webhookPath }) => webhookPath.split('/').at(-1)!),
    commonType,
    rareType,
    madeBetween: [from, Date.now()],
  }
}

async function fillAds(
  { stage, url, receiver, origin }: Filling,
  deliveries: number,
): Promise<LoggedWorkspace> {
  const group = 'ads'
  const { common: commonType, rare: rareType, make } = EVENTS.ads
  const workspace = await createWorkspace(() => url, 'ads', group)
  const webhookIds: string[] = []
  for (let number = 0; number < ADS_WEBHOOKS; number++) {
    const { id } = await workspace.createWebhook(`${origin}/${group}/${number}`, [commonType, rareType])
    webhookIds.push(id)
  }
  await workspace.publish(rare(() => make(rareType)))
  await requested(receiver, RARE_EVENTS * ADS_WEBHOOKS)
  await behave(receiver, group, mostly200(status(404), status(500), LATER))
  const { content, entity } = make(commonType)
  const event = { type: commonType, entityType: entity!.type, entityId: entity!.id, payload: content }
  const from = Date.now()
  await fill(stage, {
    url,
    hooks: [{ batchPath: workspace.publishPath, key: workspace.key, event }],
    events: deliveries / ADS_WEBHOOKS,
    deliveriesPerEvent: ADS_WEBHOOKS,
    receiver,
  })
  const madeBetween = [from, Date.now()] as const
  return { id: workspace.id, key: workspace.key, webhookIds, commonType, rareType, madeBetween }
}

async function fillWaiting({ stage, url, receiver, origin }: Filling, deliveries: number): Promise<void> {
  const group = 'waiting'
  await behave(receiver, group, LATER)
  const load = { webhooks: WAITING_WEBHOOKS, receiverOrigin: origin, group }
  await fill(stage, { url, hooks: await prepareLoad(() => url, load), events: deliveries, receiver })
}

const rare = <T>(make: () => T): T[] => Array.from({ length: RARE_EVENTS }, make)

const behave = (receiver: MeasuringReceiver, group: string, behavior: Behavior) =>
  receiver.ask({ kind: 'behave', group, behavior }, 'done')

const requestsOf = async (receiver: MeasuringReceiver) =>
  (await receiver.ask({ kind: 'report' }, 'report')).requests

async function requested(receiver: MeasuringReceiver, requests: number): Promise<void> {
  await eventually(async () => ((await requestsOf(receiver)) >= requests ? true : null), {
    withinMs: 30_000,
    what: `${requests} requests`,
  })
}

/** Waits until nothing has arrived for longer than the short retry delays. */
async function quiet(receiver: MeasuringReceiver): Promise<void> {
  let seen = -1
  await eventually(
    async () => {
      const before = seen
      seen = await requestsOf(receiver)
      return seen === before ? true : null
    },
    { withinMs: 120_000, everyMs: 2_000, what: 'end of the retries' },
  )
}
