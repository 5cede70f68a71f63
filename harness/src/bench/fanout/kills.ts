import type { PosthornProcess, Settings } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import type { Stage } from '../stage/stage.ts'
import type { GridReceiver } from './receiver.ts'

/** Bounds of a node's lifetime before it is killed; short lifetimes are as likely as long ones. */
const LIFE_MS = { min: 10, max: 2_000 }
const ARRIVALS_WITHIN_MS = 300_000

export interface Killing {
  readonly stage: Stage
  /** Killed nodes are replaced in this list. */
  readonly nodes: PosthornProcess[]
  readonly environment: Settings
  readonly receiver: GridReceiver
  readonly kills: number
  /** Deliveries that arrive in the end. */
  readonly deliveries: number
  readonly random: () => number
}

/** What the kills interrupted. */
export interface Kills {
  /** Kills before all deliveries existed. */
  readonly whileCreating: number
  /** Kills when nothing was left to send. */
  readonly late: number
}

/**
 * Kills nodes one after the other while they create and send deliveries, and restarts each. The first kill
 * comes at once, the others at random times. Until the n-th kill, the receiver answers at most n/(kills + 1)
 * of all deliveries.
 */
export async function killNodes(killing: Killing): Promise<Kills> {
  const { stage, nodes, environment, receiver, kills, deliveries, random } = killing
  let whileCreating = 0
  let late = 0
  for (let kill = 0; kill < kills; kill++) {
    const lifeMs = kill === 0 ? 0 : LIFE_MS.min * (LIFE_MS.max / LIFE_MS.min) ** random()
    const share = Math.floor(deliveries / (kills + 1))
    await receiver.ask({ kind: 'allow', cells: share * (kill + 1) }, 'allowed')
    const enough = Math.floor(share * (kill + random()))
    const arrived = await arrivalsAfter(receiver, lifeMs, enough)
    if (arrived >= deliveries) late += 1
    const position = Math.floor(random() * nodes.length)
    await stage.kill(nodes[position]!)
    if ((await stage.store.deliveries()) < deliveries) whileCreating += 1
    await receiver.ask({ kind: 'forgive' }, 'forgiven')
    nodes[position] = await stage.startService(environment)
  }
  await receiver.ask({ kind: 'allow', cells: deliveries }, 'allowed')
  return { whileCreating, late }
}

/** Waits until the time is over or enough has arrived. @returns the number of arrivals */
async function arrivalsAfter(receiver: GridReceiver, ms: number, enough: number): Promise<number> {
  const until = performance.now() + ms
  return eventually(
    async () => {
      const { distinct } = await receiver.ask({ kind: 'count' }, 'count')
      return distinct >= enough || performance.now() >= until ? distinct : null
    },
    { withinMs: ARRIVALS_WITHIN_MS, everyMs: 2, what: 'arrivals' },
  )
}
