import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/core/duration.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import { wrapCalls } from '../../support/flatStorage.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startTestEngine } from '../../support/testEngine.ts'
import { openTestStore } from '../../support/testStore.ts'
import { until } from '../../support/until.ts'

test('a failure recorded when the store is back after 25 hours disables no webhook', async () => {
  const clock = new ManualClock()
  const real = await openTestStore(clock)
  let isAway = false
  const storage = wrapCalls(real.storage, (_, call) => async (params) => {
    if (isAway) throw new StoreUnavailableError('away')
    return call(params)
  })
  const service = await startTestEngine({ clock, store: { storage, remove: real.remove } })
  const receiver = await startReceiver(503)
  const workspace = await service.createWorkspace('content')
  const webhook = await service.createWebhook(workspace, receiver.url, [])
  await service.publish(workspace)
  await until(clock, 'a first failure', () => service.recorded() === 1)

  const answers: (() => void)[] = []
  receiver.answer((response) => void answers.push(() => response.writeHead(503).end()))
  await service.publish(workspace)
  await until(clock, 'a second request', () => answers.length > 0)
  isAway = true
  answers.shift()!()
  const waited = clock.monotonic() + 500
  await until(clock, 'the result', () => clock.monotonic() > waited)
  for (let hour = 0; hour < 25; hour++) {
    clock.advance(HOUR_MS)
    await new Promise((resolve) => setImmediate(resolve))
  }
  isAway = false
  await until(clock, 'the result to be recorded', () => service.recorded() >= 2)

  const { publicId } = webhook
  const now = await service.storage.getWebhook({ workspaceId: workspace.id, publicId })
  expect(now).toMatchObject({ status: 'on', failingSince: expect.any(Number) })
  await service.stop()
  await receiver.close()
})
