import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { HOUR_MS, SECOND_MS } from '../../../src/core/duration.ts'
import { parseEgressRules } from '../../../src/core/targets/index.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { startTestEngine } from '../../support/testEngine.ts'
import { openTestStore } from '../../support/testStore.ts'
import { until } from '../../support/until.ts'

/** A receiver with its own address. */
async function listen(host: string) {
  const server = createServer((request, response) => {
    request.resume()
    // Each request needs a new connection.
    response.setHeader('connection', 'close')
    response.writeHead(204).end()
  })
  server.listen(0, host)
  await once(server, 'listening')
  return { server, url: `http://${host}:${(server.address() as AddressInfo).port}/in` }
}

interface Given {
  readonly waiting?: number
  readonly newest?: number
  readonly hours?: number
}

test.each<[string, Given]>([
  ['many deliveries wait', { waiting: 25 }],
  ['one customer made the newest 64 webhooks', { newest: 64 }],
  ['the outage lasts for 26 hours', { hours: 26 }],
])(
  'a node restarted in an outage blames no receiver, although %s',
  async (_, { waiting = 1, newest = 0, hours = 0 }) => {
    const clock = new ManualClock()
    const store = await openTestStore(clock)
    const egress = { rules: parseEgressRules({ allow: '127.0.0.0/8' }) }
    const receivers = await Promise.all(['127.0.0.1', '127.0.0.2', '127.0.0.3'].map(listen))
    let service = await startTestEngine({ clock, egress, store })
    const workspaces = [await service.createWorkspace('content'), await service.createWorkspace('content')]
    const webhooks = await Promise.all(
      receivers.map(({ url }, at) => service.createWebhook(workspaces[Math.min(at, 1)]!, url, [])),
    )
    for (const workspace of workspaces) await service.publish(workspace)
    await until(clock, 'first deliveries', () => service.recorded() === 3)
    const big = await service.createWorkspace('ads')
    for (let i = 0; i < newest; i++) await service.createWebhook(big, receivers[0]!.url + i, [])
    if (newest > 0) await service.publish(big, { type: 'campaign.created' })
    await until(clock, 'those of the newest', () => service.recorded() === 3 + newest)

    for (const { server } of receivers) server.close()
    await service.publish(workspaces[0]!)
    await until(clock, 'sending to be held', () => service.engine.egress.heldSince !== null)
    for (let i = 0; i < waiting; i++) for (const workspace of workspaces) await service.publish(workspace)
    const openAt = await service.storage.readOpen({})
    await service.engine.stop()
    clock.advance(hours * HOUR_MS)
    service = await startTestEngine({ clock, egress, store })
    const end = clock.monotonic() + 2 * SECOND_MS
    await until(clock, 'two seconds', () => clock.monotonic() > end)

    expect(service.engine.egress.heldSince).not.toBeNull()
    expect(await service.storage.readOpen({})).toBe(openAt)
    const deliveries = (await Promise.all(webhooks.map((webhook) => service.deliveriesOf(webhook)))).flat()
    const attempts = deliveries.flatMap((delivery) => delivery.attempts)
    expect(attempts.filter(({ errorCode }) => errorCode !== null)).toEqual([])
    await service.stop()
  },
)
