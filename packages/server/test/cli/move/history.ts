import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import { listening } from '../../storage/conformance/warningTools.ts'
import { DAY_MS, HOUR_MS, STRICT, World } from '../../storage/conformance/world.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'

/** The resources in the history that {@link makeHistory} creates. */
export interface Cast {
  readonly w: World
  readonly content: Workspace
  readonly ads: Workspace
  readonly steady: Webhook
  readonly failing: Webhook
  readonly gone: Webhook
  readonly paused: Webhook
  /** Paused, with a large fan-out that has not started. */
  readonly crowd: readonly Webhook[]
}

/** Of some events. */
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const LIMIT = { max: 5, windowMs: HOUR_MS }

/** Rows of every kind and state: two services, several days, and a node killed while working. */
export async function makeHistory(storage: FlatStorage): Promise<Cast> {
  const w = new World(storage)
  w.now = Date.now() - 3 * DAY_MS
  const content = await w.workspace()
  const ads = await w.workspace({ dialect: 'ads' })
  await accounts(w, content)
  await listening(w, content.id)
  const cast: Cast = {
    w,
    content,
    ads,
    steady: await w.webhook(content, {
      url: 'https://one.example.com/',
      description: 'Überschrift\n\t"x\\y"',
    }),
    failing: await w.webhook(content, { eventTypes: ['thing.happened'] }),
    gone: await w.webhook(content),
    paused: await w.webhook(content),
    crowd: await unfinishedFanout(w),
  }
  await w.webhook(ads)
  await daysOfEvents(cast)
  await stats(w)
  await changes(cast)
  await leftovers(cast)
  return cast
}

async function accounts(w: World, workspace: Workspace): Promise<void> {
  const { storage, now } = w
  const member = await w.member(workspace)
  const leaving = await w.member(workspace)
  await w.key(workspace, member)
  const key = await w.key(workspace, leaving)
  await w.session(member)
  await w.operator()
  await w.adminToken()
  const ended = await w.adminToken()
  await storage.touchAdminTokens({ uses: [{ tokenId: ended.id, at: now }] })
  await storage.revokeAdminToken({ publicId: ended.publicId, now })
  await storage.putProfile({ name: 'billing', version: null, document: '{"a":1}', keepSince: 0, now })
  await w.link(member.email, 'link')
  await w.signIn('link', 'browser')
  await w.signInByProvider('somebody@example.com', {
    operator: 'opr_given',
    members: [[workspace, 'editor']],
  })
  await w.portalLink(member, 'portal')
  await storage.touchKeys({ uses: [{ keyId: key.id, at: now }] })
  await storage.revokeKey({ workspaceId: workspace.id, publicId: key.publicId, now })
  await storage.deleteMember({ workspaceId: workspace.id, publicId: leaving.publicId, now })
  const deleted = await w.workspace()
  await w.webhook(deleted)
  await storage.deleteWorkspace({ workspaceId: deleted.id, now })
  await storage.change({
    call: 'createKey',
    params: {
      publicId: w.name('key_'),
      workspaceId: workspace.id,
      memberId: null,
      name: 'once',
      scopes: [],
      hash: Buffer.from('once'),
      expiresAt: now + DAY_MS,
      now,
    },
    audit: {
      action: 'key.created',
      actor: { type: 'operator', id: null, sessionId: null },
      workspacePublicId: workspace.publicId,
      target: { type: 'key', id: 'key_once' },
      details: { name: 'once' },
      requestId: 'req_1',
    },
    idempotency: {
      scope: 'operator',
      key: 'k1',
      fingerprint: Uint8Array.of(1, 0, 255),
      responseData: Uint8Array.of(0),
      responseDataUntil: now + 1_000,
      since: 0,
    },
    now,
  })
}

/** One event more than a publish creates deliveries for. */
async function unfinishedFanout(w: World): Promise<readonly Webhook[]> {
  const workspace = await w.workspace({ dialect: 'ads' })
  const crowd = [await w.webhook(workspace), await w.webhook(workspace), await w.webhook(workspace)]
  const nodeId = await w.node()
  const { late } = await w.publish(nodeId, await w.events(667, workspace), { room: 0 })
  if (late === 0) throw new Error('the deliveries of all events were made at once')
  for (const webhook of crowd) await w.update(webhook, { status: 'paused' })
  await w.storage.retireNode({ nodeId })
  return crowd
}

async function daysOfEvents({ w, content, ads, steady, failing, gone, paused }: Cast): Promise<void> {
  const nodeId = await w.node()
  for (let day = 0; day < 3; day++) {
    const events = [
      ...(await w.events(3, content)),
      await w.event(content, { type: 'other.thing', body: '{"type":"other.thing","text":"😀 \\u0000"}' }),
      await w.event(content, {
        broughtId: `evt_own_${day}`,
        fingerprint: Uint8Array.of(day),
        traceparent: TRACEPARENT,
      }),
    ]
    const { leased } = await w.publish(nodeId, events)
    const of = (webhook: Webhook) => leased.filter(({ webhookId }) => webhookId === webhook.id)
    await w.record(nodeId, [
      ...of(steady).map((ref) => w.success(ref, { responseBody: Uint8Array.of(0, 1, 254) })),
      ...of(failing).map((ref, at) =>
        w.failure(ref, at === 0 ? { next: { status: 'failed', nextAttemptAt: null } } : {}),
      ),
    ])
    const { leased: toAds } = await w.publish(nodeId, await w.events(2, ads, { broughtId: null }))
    const dead = { next: { status: 'dead' as const, nextAttemptAt: null } }
    await w.record(nodeId, [w.failure(toAds[0]!, dead), w.failure(toAds[1]!)])
    w.now += DAY_MS
    if (day === 0) await w.record(nodeId, [w.gone(of(gone)[0]!)], STRICT)
    if (day === 1) await w.update(paused, { status: 'paused' })
  }
  await w.storage.retireNode({ nodeId })
}

/** Some of the counts so far are in buckets; later ones are not. */
async function stats({ storage, now }: World): Promise<void> {
  await storage.rollUpStats({ now: Date.now() })
  await storage.keepQueueSample({ at: now, pending: 3, due: 1, oldestDueAt: now - 1 })
  for (const at of [now - DAY_MS, now]) await storage.noteOpen({ now: at, waited: 3, notBefore: null })
}

async function changes({ w, content, ads, steady, failing }: Cast): Promise<void> {
  const { storage } = w
  await w.update(steady, { url: 'https://two.example.com/', eventTypes: ['thing.happened', 'other.thing'] })
  await w.rotate(steady, { secret: 3, overlapMs: DAY_MS })
  await w.rotate(failing, { secret: 4 })
  const deleted = await w.webhook(content)
  await w.remove(deleted)
  const event = await w.event(content, { type: 'webhook.test' })
  await storage.sendTest({ event, webhookId: steady.id, limit: LIMIT, now: w.now })
  const [done] = (await w.log(steady)).filter(({ status }) => status === 'delivered')
  await storage.resend({
    workspaceId: content.id,
    deliveryId: done!.id,
    trigger: 'redeliver',
    from: ['delivered'],
    limit: LIMIT,
    now: w.now,
  })
  await w.replay(ads)
  await w.storage.retryWebhook({ workspaceId: content.id, webhookId: failing.id, limit: null, now: w.now })
  await consumers(w, content)
  await storage.stepReplays({ now: w.now, limit: 2 })
  await w.replay(content)
  const claim = 'of the node that was killed'
  const claimed = await storage.claimNotifications({ claim, claimMs: 1000, now: w.now, limit: 2 })
  const { id } = claimed.notifications[0]!
  await storage.settleNotification({ id, claim, now: w.now, outcome: { result: 'sent' } })
}

/** One that has acknowledged half of the events, and one that starts now. */
async function consumers({ storage, now }: World, { id: workspaceId }: Workspace): Promise<void> {
  const fresh = { workspaceId, eventTypes: null, start: 'now', max: 10, now } as const
  await storage.createConsumer({ ...fresh, name: 'fresh' })
  const made = await storage.createConsumer({
    ...fresh,
    name: 'crm',
    eventTypes: ['thing.happened'],
    start: [0, 0],
  })
  if (made.outcome !== 'created') throw new Error(made.outcome)
  const { id: consumerId, generation, lost } = made.consumer
  const { events } = await storage.listEvents({ workspaceId, eventTypes: null, after: null, limit: 2 })
  const { position } = events.at(-1)!
  await storage.acknowledge({ workspaceId, consumerId, generation, lost, position, now })
}

/** Leases of a killed node, and unprocessed rows of a webhook. */
async function leftovers({ w, content, ads }: Cast): Promise<void> {
  const nodeId = await w.node()
  await w.leased(nodeId, content, 4)
  await w.waiting(nodeId, ads, 3)
  await w.storage.reserveEventIds({ count: 1000 })
}
