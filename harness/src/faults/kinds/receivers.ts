import { setTimeout as sleep } from 'node:timers/promises'
import type { Behavior } from '../../receivers/behavior.ts'
import { oneOf, wholeNumber } from '../../support/random.ts'
import type { FaultKind } from './kind.ts'

const OUTAGE_MS = { min: 200, max: 1_200 }
const OUTAGES: readonly [name: string, behavior: Behavior][] = [
  ['answers 503', { kind: 'status', status: 503 }],
  ['answers 429', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
  ['hangs', { kind: 'trick', trick: 'silence' }],
  ['is slow', { kind: 'slow', delayMs: 400 }],
]
const SORTS = ['plain', 'secure', 'rough'] as const

/** Everything behind one host fails at once. */
export const receiverOutage: FaultKind = {
  name: 'receiver-outage',
  weight: 2,
  sparesProcesses: true,
  draw(random) {
    const sort = oneOf(random, SORTS)
    const [name, behavior] = oneOf(random, OUTAGES)
    const ms = wholeNumber(random, OUTAGE_MS.min, OUTAGE_MS.max)
    return {
      text: `the ${sort} receiver ${name} for ${ms} ms`,
      async inject({ receivers }) {
        await receivers[sort].behaveAll(behavior)
        await sleep(ms)
        await receivers[sort].behaveAll(null)
      },
    }
  },
}
