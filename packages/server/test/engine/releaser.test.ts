import { expect, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { Releaser } from '../../src/engine/schedule/releaser.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import { delivery } from '../support/deliveries.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'
import { TestLanes } from './lanesFixture.ts'

function setUp() {
  const lanes = new TestLanes({ maxInFlight: 10, maxInFlightPerWebhook: 10 })
  const { clock } = lanes
  const { calls, call } = openCalls<Parameters<StorageCalls['releaseDeliveries']>[0], void>()
  const releaser = new Releaser({
    storage: storageOf({ releaseDeliveries: call }),
    clock,
    failureLog: new FailureLog(clock, recordedLog()),
    lanes,
    lease: { nodeId: 3 },
  })
  const add = (...ids: readonly number[]) =>
    releaser.add(ids.map((id) => delivery({ id, webhookId: 1, createdAt: 5, lease: 10 * id })))
  const advance = async (ms: number) => {
    clock.advance(ms)
    await settled()
  }
  const backlog = () => Array.from(lanes.keptInStore(), ({ webhookId }) => webhookId)
  return { calls, backlog, releaser, add, advance }
}

const leaseOf = (deliveryId: number) => ({ deliveryId, createdAt: 5, lease: 10 * deliveryId })

test('leases are released at once, those of one turn together', async () => {
  const { calls, releaser, add, advance } = setUp()
  releaser.start()
  await advance(0)
  expect(calls).toHaveLength(0)
  add(1)
  add(2, 3)
  await advance(0)
  expect(calls.map(({ params }) => params)).toEqual([{ nodeId: 3, deliveries: [1, 2, 3].map(leaseOf) }])
})

test('leases that the store did not accept are released again, with newer ones', async () => {
  const { calls, backlog, releaser, add, advance } = setUp()
  releaser.start()
  add(1)
  await advance(0)
  add(2)
  calls[0]!.reject(away())
  await settled()
  await advance(1000)
  expect(new Set(calls[1]!.params.deliveries)).toEqual(new Set([1, 2].map(leaseOf)))
  expect(backlog()).toEqual([])
  calls[1]!.resolve()
  await settled()
  expect(backlog()).toEqual([1])
  await advance(5000)
  expect(calls).toHaveLength(2)
})

test('leases added before the start are released after it', async () => {
  const { calls, releaser, add, advance } = setUp()
  add(1)
  await advance(5000)
  expect(calls).toHaveLength(0)
  releaser.start()
  await advance(0)
  expect(calls).toHaveLength(1)
})
