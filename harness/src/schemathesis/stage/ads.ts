import { CONSUMERS, consumerBodies, consumerParams, SHORT_WAIT } from './consumers.ts'
import type { DocumentStage } from './documentStage.ts'
import { EVENTS, type Provisioning, type Targets } from './provisioning.ts'

const SCOPES = ['webhooks', 'events:write']
const CAMPAIGN = '0196f2a0-0000-7000-8000-000000000001'
const EVENT = {
  type: 'campaign.status_changed.v1',
  entityType: 'campaign',
  entityId: CAMPAIGN,
  payload: { from: 'paused', to: 'active' },
}
const eventId = (n: number) => `0196f2a0-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Ids that the operations of the ads service need. */
interface Ids {
  readonly key: string
  readonly webhooks: Readonly<Record<'kept' | 'failed' | 'spare' | 'waiting', string>>
  readonly dead: string
  readonly pending: string
  readonly replay: string
  readonly recovery: string
  readonly ack: string | undefined
}

export async function adsStage(p: Provisioning, targets: Targets): Promise<DocumentStage> {
  return stageOf(await fill(p, targets), targets)
}

async function fill(p: Provisioning, { good, failing, postponing }: Targets): Promise<Ids> {
  const { id: ws } = await p.workspace('ads', 'documents-ads')
  const { id: member } = await p.member(ws, 'owner')
  const { key } = await p.admin('createKey', { ws }, { name: 'tool', scopes: SCOPES, member_id: member })
  const webhook = async (url: string) => (await p.make('createAdsWebhook', { key, json: { url } })).id
  const webhooks = {
    kept: await webhook(good),
    failed: await webhook(failing),
    spare: await webhook(good),
    waiting: await webhook(postponing),
  }
  const events = Array.from({ length: EVENTS }, (_, n) => ({ id: eventId(n), ...EVENT }))
  await p.make('publishAdsEvents', { key, json: { events } })
  const delivery = (query: Readonly<Record<string, string>>, what: string) =>
    p.delivery('listAdsDeliveries', { key, query }, what)
  const dead = await delivery({ status: 'dead', webhookId: webhooks.failed }, 'a delivery that is dead')
  const pending = await delivery({ webhookId: webhooks.waiting, statusCode: '503' }, 'a delivery that waits')
  const { id: replay } = await p.make('replayAdsDeliveries', { key, json: { webhookId: webhooks.kept } })
  const { id: recovery } = await p.make('recoverAdsWebhook', {
    key,
    params: { id: webhooks.kept },
    json: { since: '2026-01-01T00:00:00Z' },
  })
  for (const name of CONSUMERS) await p.make('createAdsConsumer', { key, json: { name, start: 'oldest' } })
  const { ack } = await p.make('readAdsConsumer', { key, params: { name: CONSUMERS[0] } })
  await p.make('createAdsOperationalWebhook', { key, json: { url: good } })
  for (let i = 0; i < 2; i++) await p.make('testAdsOperationalWebhook', { key })
  return { key, webhooks, dead, pending, replay, recovery, ack }
}

function stageOf(
  { key, webhooks, dead, pending, replay, recovery, ack }: Ids,
  { good }: Targets,
): DocumentStage {
  const one = { id: webhooks.kept }
  return {
    token: key,
    tokens: {},
    apart: ['cancelAdsRecovery', 'deleteAdsOperationalWebhook', 'deleteAdsConsumer'],
    params: {
      getAdsEvent: { id: eventId(1) },
      getAdsWebhook: one,
      updateAdsWebhook: one,
      deleteAdsWebhook: { id: webhooks.spare },
      rotateAdsWebhookSecret: one,
      getAdsDelivery: { id: dead },
      replayAdsDelivery: { id: dead },
      getAdsReplay: { id: replay },
      retryAdsDelivery: { id: pending },
      retryAdsWebhook: one,
      getAdsRetry: one,
      testAdsWebhook: one,
      recoverAdsWebhook: one,
      getAdsRecovery: { id: recovery },
      cancelAdsRecovery: { id: recovery },
      ...consumerParams('Ads', {}),
    },
    facts: {
      query: {
        'GET /api/v1/webhook-deliveries': { webhookId: webhooks.failed },
        'GET /api/v1/consumers/{name}/events': SHORT_WAIT,
      },
      body: { url: good, webhookId: webhooks.failed },
      bodies: { 'POST /api/v1/webhooks/{id}/test': {}, ...consumerBodies('/api/v1', ack) },
    },
  }
}
