import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { Claimer } from '../../src/engine/schedule/claimer.ts'
import type { Proof } from '../../src/engine/schedule/standings.ts'
import type { WebhookRef } from '../../src/storage/rows.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { openCalls, recordedLog, settled, storageOf } from './fakes.ts'

type Params = Parameters<Storage['claimDue']>[0]
type Result = Awaited<ReturnType<Storage['claimDue']>>

/** Of all webhooks that are not said to be of another. */
export const WORKSPACE = 1

export const hook = (webhookId: number): WebhookRef => ({ webhookId, workspaceId: WORKSPACE })
export const hooks = (...ids: readonly number[]): WebhookRef[] => ids.map(hook)

const NONE: Result = { deliveries: [], more: [], nextAfterWebhookId: 0, nextDueAt: null }

/** A claimer of which every call of the store is answered by the test. */
export function setUpClaimer() {
  const clock = new ManualClock()
  const { calls, verb } = openCalls<Params, Result>()
  const node = { id: 1, held: true }
  const budget = {
    ...{ claimRoom: 9_000, promptLimit: 200, unprovenRoom: 5_000, unprovenLimit: 250 },
    slow: new Set<number>(),
    /** What workspaces have of what others leave. */
    parts: { prompt: new Map<number, number>(), unproven: new Map<number, number>() },
    proofOf: (webhookId: number): Proof => (budget.slow.has(webhookId) ? 'unproven' : 'prompt'),
    isPrompt: (webhookId: number) => !budget.slow.has(webhookId),
    full: [] as number[],
    admits: ({ webhookId }: WebhookRef) => !budget.full.includes(webhookId),
    fullWebhooks: () => budget.full,
    partOf: (workspaceId: number, proof: Proof) => budget.parts[proof].get(workspaceId) ?? 0,
    withPart: (part: number, proof: Proof) =>
      [...budget.parts[proof]].filter(([, has]) => has >= part).map(([id]) => id),
  }
  const claimed: number[] = []
  const claimer = new Claimer({
    storage: storageOf({ claimDue: verb }),
    clock,
    failureLog: new FailureLog(clock, recordedLog()),
    budget,
    nodeId: () => node.id,
    held: () => node.held,
    onClaimed: (deliveries) => claimed.push(...deliveries.map(({ id }) => id)),
  })
  /** Answers the call under way and lets what follows from it run. */
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
  /** After the first turn, in which nothing was due. */
  const underWay = async () => {
    await started()
    await answer({})
    await advance(1000)
    calls.shift()
  }
  return { clock, calls, node, budget, claimed, claimer, answer, advance, started, underWay }
}
