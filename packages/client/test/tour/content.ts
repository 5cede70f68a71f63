import { createReceiver } from '../../../receiver/src/index.ts'
import { createAdminClient, createContentClient, PosthornError } from '../../src/index.ts'
import { type Place, settled } from './place.ts'

/** The tour of the README for the content workflow service; the test compares the two. */
export async function contentTour({ baseUrl, adminToken, inbox }: Place) {
  const { url } = inbox
  const printed: unknown[][] = []
  const console = { log: (...values: unknown[]) => printed.push(values) }

  const admin = createAdminClient({ baseUrl, adminToken })
  const workspace = await admin.workspaces.create({ dialect: 'content', slug: 'acme', name: 'Acme Stories' })
  const { key } = await admin.keys.create(workspace.id, {
    name: 'newsroom',
    scopes: ['webhooks', 'generations:read', 'events:write'],
  })

  const posthorn = createContentClient({ baseUrl, apiKey: key!, workspace: workspace.id })
  const webhook = await posthorn.webhooks.create({ url, events: ['version.approved'], description: 'tour' })

  const published = await posthorn.publish({
    type: 'version.approved',
    data: {
      generation: { id: 'gen_1', kind: 'article', title: 'Chain care in winter', content_id: 'cnt_1' },
      version_id: 'ver_1',
      decided_by: 'usr_1',
      via: 'person',
    },
    actor_id: 'usr_1',
  })

  const { rawBody, headers } = await inbox.next()
  const receiver = createReceiver({ scheme: 'standard', secrets: webhook.signing_secret! })
  const { id, event } = await receiver.verify(rawBody, headers)
  if (event.type === 'version.approved') console.log(id, event.data.generation.title)

  await settled(() => posthorn.deliveries.list(webhook.id), 'delivered', 1)
  for await (const delivery of posthorn.deliveries.iterate(webhook.id)) {
    console.log(delivery.event_type, delivery.status, delivery.attempts.length)
  }

  const { data: delivered } = await posthorn.deliveries.list(webhook.id, { status: 'delivered' })
  await posthorn.deliveries.redeliver(webhook.id, delivered[0]!.id)
  const again = await inbox.next()
  await posthorn.webhooks.test(webhook.id)
  const tested = await inbox.next()

  const { pending } = await posthorn.webhooks.retry(webhook.id)
  const since = new Date(Date.now() - 24 * 3_600_000).toISOString()
  const { total } = await posthorn.recoveries.preview(webhook.id, { since })
  const recovery = await posthorn.recoveries.start(webhook.id, { since })
  const ended = await posthorn.recoveries.wait(webhook.id, recovery.id)
  console.log(`${pending} were pending; ${ended.delivered} of ${total} failed deliveries arrived`)

  for await (const { id, type, data } of posthorn.events.iterate()) console.log(id, type, data)

  await posthorn.consumers.create({ name: 'crm', start: 'oldest' })
  const stop = new AbortController()
  await posthorn.consumers.consume(
    'crm',
    ({ id, body }) => {
      console.log(id, body)
      stop.abort()
    },
    { signal: stop.signal },
  )

  const params = { path: { ws: workspace.id, id: webhook.id } }
  const { response } = await posthorn.api.GET('/v1/workspaces/{ws}/webhooks/{id}', { params })
  const ifMatch = response.headers.get('etag') ?? ''
  await posthorn.webhooks.update(webhook.id, { description: 'mine' }, { ifMatch })

  try {
    await posthorn.webhooks.update(webhook.id, { description: 'yours' }, { ifMatch })
  } catch (error) {
    if (!(error instanceof PosthornError) || error.code !== 'version_mismatch') throw error
    console.log(`changed meanwhile, says ${error.requestId}`)
  }

  return { admin, posthorn, workspace, webhook, published, receiver, again, tested, printed }
}
