import { CONSUMERS, consumerBodies, consumerParams, SHORT_WAIT } from './consumers.ts'
import type { DocumentStage } from './documentStage.ts'
import { EVENTS, type Provisioning, type Targets } from './provisioning.ts'

const TYPE = 'schedule.cancel_required'
const SCOPES = ['webhooks', 'generations:read', 'events:write']

/** Ids that the operations of the content service need. */
interface Ids {
  readonly ws: string
  readonly key: string
  readonly webhooks: Readonly<Record<'kept' | 'failed' | 'spare' | 'waiting', string>>
  readonly failed: string
  readonly pending: string
  readonly recovery: string
  readonly ack: string | undefined
}

export async function contentStage(p: Provisioning, targets: Targets): Promise<DocumentStage> {
  return stageOf(await fill(p, targets), targets)
}

async function fill(p: Provisioning, { good, failing, postponing }: Targets): Promise<Ids> {
  const { id: ws } = await p.workspace('content', 'documents-content')
  const { id: member } = await p.member(ws, 'owner')
  const { key } = await p.admin('createKey', { ws }, { name: 'tool', scopes: SCOPES, member_id: member })
  const call = { key, params: { ws } }
  const webhook = async (url: string) =>
    (await p.make('createContentWebhook', { ...call, json: { url, events: [TYPE] } })).id
  const webhooks = {
    kept: await webhook(good),
    failed: await webhook(failing),
    spare: await webhook(good),
    waiting: await webhook(postponing),
  }
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    id: `evt_${n}`,
    type: TYPE,
    data: { subject_id: `sch_${n}` },
  }))
  await p.make('publishContentEvents', { ...call, json: { events } })
  const delivery = (id: string, query: Readonly<Record<string, string>>, what: string) =>
    p.delivery('listContentDeliveries', { key, params: { ws, id }, query }, what)
  const failed = await delivery(webhooks.failed, { status: 'failed' }, 'a delivery that failed')
  const pending = await delivery(webhooks.waiting, { status_code: '503' }, 'a delivery that waits')
  const { id: recovery } = await p.make('recoverContentWebhook', {
    key,
    params: { ws, id: webhooks.kept },
    json: { since: '2026-01-01T00:00:00Z' },
  })
  for (const name of CONSUMERS)
    await p.make('createContentConsumer', { ...call, json: { name, start: 'oldest' } })
  const { ack } = await p.make('readContentConsumer', { key, params: { ws, name: CONSUMERS[0] } })
  await p.make('createContentOperationalWebhook', { ...call, json: { url: good } })
  for (let i = 0; i < 2; i++) await p.make('testContentOperationalWebhook', call)
  return { ws, key, webhooks, failed, pending, recovery, ack }
}

function stageOf(
  { ws, key, webhooks, failed, pending, recovery, ack }: Ids,
  { good }: Targets,
): DocumentStage {
  const one = { ws, id: webhooks.kept }
  const sent = { ws, id: webhooks.failed, did: failed }
  const recovered = { ...one, rid: recovery }
  return {
    token: key,
    tokens: {},
    apart: ['cancelContentRecovery', 'deleteContentOperationalWebhook', 'deleteContentConsumer'],
    params: {
      '': { ws },
      getContentEvent: { ws, id: 'evt_1' },
      getContentWebhook: one,
      updateContentWebhook: one,
      deleteContentWebhook: { ws, id: webhooks.spare },
      rotateContentWebhookSecret: one,
      testContentWebhook: one,
      listContentDeliveries: { ws, id: webhooks.failed },
      getContentDelivery: sent,
      redeliverContentDelivery: sent,
      retryContentDelivery: { ws, id: webhooks.waiting, did: pending },
      retryContentWebhook: one,
      getContentRetry: one,
      recoverContentWebhook: one,
      getContentRecovery: recovered,
      cancelContentRecovery: recovered,
      ...consumerParams('Content', { ws }),
    },
    facts: {
      query: {
        'GET /v1/workspaces/{ws}/deliveries': { webhook_id: webhooks.failed },
        'GET /v1/workspaces/{ws}/consumers/{name}/events': SHORT_WAIT,
      },
      body: { url: good },
      // The types of the webhook depend on earlier changes.
      bodies: {
        'POST /v1/workspaces/{ws}/webhooks/{id}/test': {},
        ...consumerBodies('/v1/workspaces/{ws}', ack),
      },
    },
  }
}
