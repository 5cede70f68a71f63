import { createReceiver } from '../../../receiver/src/index.ts'
import { createAdminClient, createAdsClient } from '../../src/index.ts'
import { type Place, settled } from './place.ts'

const CAMPAIGN_ID = '01941f29-7c00-7aaa-8bbb-0123456789a1'

/** The tour of the README for the advertising platform; the test compares the two. */
export async function adsTour({ baseUrl, adminToken, inbox }: Place) {
  const { url } = inbox
  const printed: unknown[][] = []
  const console = { log: (...values: unknown[]) => printed.push(values) }
  const admin = createAdminClient({ baseUrl, adminToken })
  const workspace = await admin.workspaces.create({ dialect: 'ads', slug: 'acme-ads', name: 'Acme Ads' })
  const { key } = await admin.keys.create(workspace.id, { name: 'ads', scopes: ['webhooks', 'events:write'] })
  const campaignId = CAMPAIGN_ID
  inbox.answerWith(500)

  const ads = createAdsClient({ baseUrl, apiKey: key! })
  const endpoint = await ads.webhooks.create({ url, types: ['campaign.status_changed.v1'] })

  const change = { type: 'campaign.status_changed.v1', entityType: 'campaign', entityId: campaignId } as const
  const published = await ads.publishBatch([
    { ...change, payload: { from: 'active', to: 'paused' } },
    { ...change, payload: { from: 'paused', to: 'active' } },
  ])

  const { rawBody, headers } = await inbox.next()
  const receiver = createReceiver({ scheme: 'service', secrets: endpoint.signingSecret! })
  const { event } = await receiver.verify(rawBody, headers)
  if (event.type === 'campaign.status_changed.v1') console.log(event.id, event.payload.to)

  await settled(() => ads.deliveries.list(), 'dead', 2)
  inbox.answerWith(204)

  const { data: dead } = await ads.deliveries.list({ status: 'dead', webhookId: endpoint.id })
  await ads.deliveries.replay(dead[0]!.id)

  const { total, hasMore } = await ads.replays.preview({ webhookId: endpoint.id })
  console.log(`${total} are dead${hasMore ? ', and more' : ''}`)
  const replay = await ads.deliveries.replayMany({ webhookId: endpoint.id })
  for await (const { replayed, total } of ads.replays.watch(replay.id)) console.log(`${replayed} of ${total}`)

  await settled(() => ads.deliveries.list(), 'delivered', 2)
  return { ads, workspace, endpoint, published, replay, dead, printed }
}
