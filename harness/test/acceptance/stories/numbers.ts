import { expect, test } from 'vitest'
import { eventually } from '../../../src/support/waiting.ts'
import { type Account, admin, openAccount, signInAs, unique } from '../accounts.ts'
import {
  addContentWebhook,
  contentDelivery,
  inContent,
  postpone,
  publishContent,
  SINCE,
} from '../samples/content.ts'
import { done, receiver, serviceUrl } from '../world.ts'

interface Counts {
  readonly webhooks: { readonly on: number; readonly failing: number }
  readonly oldest_pending: {
    readonly webhook_id: string
    readonly reason: string
    readonly attempts: number
  } | null
}

/** Counts are cached for five seconds. */
const FRESH = { withinMs: 15_000, everyMs: 500 } as const

const asViewer = async (account: Account) => ({
  key: await signInAs(account, 'viewer'),
  params: { ws: account.ws },
})

/** One sample of `/metrics`. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${serviceUrl()}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  )
}

export function numbersStories(): void {
  test('a webhook that finally received everything shows 100 %, however many attempts it took', async () => {
    const account = await openAccount('content')
    const hook = `/fail/${unique('hook')}`
    const { id } = await addContentWebhook(account, hook)
    await publishContent(account)
    await contentDelivery(account, id, ['failed'])
    const viewer = await asViewer(account)
    const stats = () =>
      done<{ totals: object }>('getWorkspaceStats', { ...viewer, query: { period: '1h', webhook_id: id } })
    expect((await stats()).totals).toMatchObject({
      deliveries: { delivered: 0, delivered_first_attempt: 0, failed: 1, canceled: 0 },
      success_rate: 0,
      attempt_success_rate: 0,
    })
    receiver().repair(hook)
    await done('recoverContentWebhook', { ...inContent(account, { id }), json: SINCE })
    await contentDelivery(account, id, ['delivered'])
    expect((await stats()).totals).toMatchObject({
      deliveries: { delivered: 1, delivered_first_attempt: 0, failed: 0, canceled: 0 },
      success_rate: 1,
      attempts: { delivered: 1, http_status: 3 },
      attempt_success_rate: 1 / 4,
      response_ms: { p50: expect.any(Number), p95: expect.any(Number) },
    })
    // A test does not change it.
    await done('testContentWebhook', inContent(account, { id }))
    await eventually(() => (receiver().received(hook).length === 5 ? true : null), {
      withinMs: 10_000,
      what: 'the test',
    })
    const summary = await done<{ last_24h: object }>('getWebhookSummary', {
      ...viewer,
      params: { ...viewer.params, id },
    })
    expect(summary.last_24h).toMatchObject({ success_rate: 1, succeeded: 1, failed: 3 })
    expect(await stats()).toMatchObject({ totals: { success_rate: 1, attempts: { delivered: 1 } } })
  })

  test('current failures have the same names for the workspace, the operator and in metrics, with the reason for waiting', async () => {
    const account = await openAccount('content')
    await addContentWebhook(account)
    const { id, hook } = await postpone(account, 2)
    const viewer = await asViewer(account)
    const mine = () => done<Counts & { failing: readonly object[] }>('getWorkspaceOverview', viewer)
    expect(await mine()).toMatchObject({
      webhooks: { on: 2, failing: 1, disabled_last_hour: 0 },
      failing: [{ webhook_id: id, failing_since: expect.any(String) }],
      pending: { count: 2, more: false },
      oldest_pending: { webhook_id: id, attempts: 1, reason: 'retry_after' },
    })
    const listed = async () => {
      const query = { period: '1h', limit: 100, now: true }
      const { data } = await done<{ data: readonly { webhook_id: string }[] }>('listFailingWebhooks', {
        ...admin,
        query,
      })
      return data.some(({ webhook_id: one }) => one === id)
    }
    expect(await listed()).toBe(true)
    await eventually(
      async () => {
        const { webhooks } = await done<Counts>('getOverview', admin)
        return webhooks.failing > 0 && (await metric('posthorn_webhooks_failing')) === webhooks.failing
          ? true
          : null
      },
      { ...FRESH, what: 'the same number in the overview and in metrics' },
    )
    const change = (json: object) => done('updateContentWebhook', { ...inContent(account, { id }), json })
    await change({ paused: true })
    expect(await mine()).toMatchObject({
      webhooks: { on: 1, failing: 0 },
      oldest_pending: { reason: 'paused' },
    })
    await change({ paused: false })
    receiver().repair(hook)
    await eventually(
      async () => {
        await done('retryContentWebhook', inContent(account, { id }))
        return (await mine()).oldest_pending === null ? true : null
      },
      { withinMs: 10_000, everyMs: 1_000, what: 'nothing pending' },
    )
    expect(await mine()).toMatchObject({ webhooks: { on: 2, failing: 0 }, failing: [] })
    expect(await listed()).toBe(false)
  })
}
