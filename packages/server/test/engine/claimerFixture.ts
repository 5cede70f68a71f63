import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { Memory } from '../../src/engine/schedule/admission.ts'
import { Claimer } from '../../src/engine/schedule/claimer.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import type { LeasedDelivery, WebhookRef } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { openCalls, recordedLog, settled, storageOf } from './fakes.ts'
import { TestLanes } from './lanesFixture.ts'

type Params = Parameters<StorageCalls['claimDue']>[0]
type Result = Awaited<ReturnType<StorageCalls['claimDue']>>

/** Of all webhooks that are not assigned to another. */
export const WORKSPACE = 1

export const hook = (webhookId: number): WebhookRef => ({ webhookId, workspaceId: WORKSPACE })
export const hooks = (...ids: readonly number[]): WebhookRef[] => ids.map(hook)

const NONE: Result = { deliveries: [], more: [], elsewhere: [], nextAfterWebhookId: 0, nextDueAt: null }
/** Characters of a body with this weight. */
const bodyOf = (weight: number) => 'x'.repeat(3_250 * (weight - 1))

/** A claimer whose every store call is answered by the test. */
export function setUpClaimer() {
  const lanes = new TestLanes({ maxInFlight: 512, maxInFlightPerWebhook: 10 })
  const { clock } = lanes
  const { calls, call } = openCalls<Params, Result>()
  const lease = { nodeId: 1, valid: true }
  const released: LeasedDelivery[] = []
  const claimer = new Claimer({
    storage: storageOf({ claimDue: call }),
    clock,
    failureLog: new FailureLog(clock, recordedLog()),
    lanes,
    releaser: { add: (deliveries) => void released.push(...deliveries) },
    lease,
  })
  const lane = (webhookId: number) => lanes.of(hook(webhookId))
  /** Marks receivers as fast, those of others as slow. */
  const fast = (...ids: readonly number[]) => {
    for (const id of ids) {
      lanes.put(delivery({ id: 0, webhookId: id }))
      lanes.take(lane(id))
      lanes.finished(lane(id), true)
    }
  }
  /** Sets the memory in use, of which `promised` is reserved for publishes of another workspace. */
  const fill = (memory: Partial<Memory>) => {
    Object.assign(lanes.memory.totals, { fast: 0, unproven: 0, promised: 0, ...memory })
  }
  /** Adds waiting deliveries of this total weight to the lane. */
  const put = (webhookId: number, weight: number, workspaceId = WORKSPACE) => {
    lanes.put(delivery({ id: 0, webhookId, workspaceId, body: bodyOf(weight) }))
  }
  /** Waiting deliveries in memory, by id. */
  const waitingIn = (webhookId: number) => lanes.find(webhookId)?.waiting ?? 0
  const keptInStore = (workspaceId: number = WORKSPACE) =>
    Array.from(lanes.keptInStore(workspaceId), ({ webhookId }) => webhookId)
  /** Answers the current call and lets its consequences run. */
  const answer = async (result: Partial<Result>) => {
    calls.at(-1)!.resolve({ ...NONE, ...result })
    await settled()
  }
  const advance = async (ms: number) => {
    clock.advance(ms)
    await settled()
  }
  const started = async () => {
    claimer.start()
    await advance(0)
  }
  /** After the first round, in which nothing was due. */
  const underWay = async () => {
    await started()
    await answer({})
    await advance(1000)
    calls.shift()
  }
  return {
    ...{ lanes, clock, calls, lease, released, claimer, lane, fast, fill, put },
    ...{ waitingIn, keptInStore, answer, advance, started, underWay },
  }
}
