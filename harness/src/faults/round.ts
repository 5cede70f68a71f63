import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from '../support/random.ts'
import type { HookEvidence, Loss } from './evidence.ts'
import type { World } from './kinds/kind.ts'
import { allUp } from './nodes/node.ts'
import { idle } from './nodes/resources.ts'
import type { RoundPlan } from './plan.ts'
import type { PublisherReport } from './publisher/publisher.ts'
import { Manager } from './scene/manager.ts'
import type { Scene } from './scene/scene.ts'
import type { Stage } from './stage.ts'
import { contradictionsOf } from './verdict/hookVerdict.ts'
import { unforcedAmong } from './verdict/incidents.ts'
import { lossesOf } from './verdict/losses.ts'

/** Events keep flowing this long after the last fault. */
const AFTERMATH_MS = 500

export interface RoundResult {
  readonly contradictions: readonly string[]
  readonly published: PublisherReport
  readonly losses: readonly Loss[]
  /** Leases that expired although no fault affected their nodes. */
  readonly unforcedLapses: number
  readonly hooks: readonly HookEvidence[]
}

/**
 * One round: events flow and people make changes while faults are injected; then calm, and the comparison.
 */
export async function playRound(stage: Stage, plan: RoundPlan, scene: Scene): Promise<RoundResult> {
  const { world, publisher } = stage
  const { journal, nodes } = world
  const publishedTo = scene.accounts.map(({ id, key, dialect }) => ({ id, key, dialect }))
  await publisher.begin(publishedTo, plan.sceneSeed)
  const managers = scene.accounts.map(
    (account, i) =>
      new Manager(account, randomFrom(plan.sceneSeed + 1 + i), (text) => journal.note(`act: ${text}`)),
  )
  const managing = Promise.all(managers.map((manager) => manager.run()))
  await Promise.all([sleep(plan.chaosMs), injectAll(plan, world)])
  await allUp(nodes)
  await sleep(AFTERMATH_MS)
  for (const manager of managers) manager.end()
  const [published] = await Promise.all([publisher.finish(), managing])
  await scene.calmDown()
  const restless = await scene.calm().then(
    () => [],
    (error: unknown) => [String(error)],
  )
  await Promise.all(nodes.map(idle))
  const hooks = await scene.gather(published.publishes)
  const { complaints, ...taken } = journal.take()
  const acknowledgedAt = published.publishes.flatMap((publish) => publish.acknowledgedAt ?? [])
  const losses = lossesOf({ ...taken, acknowledgedAt }, stage.lossOptions)
  const circumstances = { losses, ...stage.promises }
  return {
    contradictions: [
      ...complaints,
      ...published.surprises,
      ...restless,
      ...hooks.flatMap((hook) => contradictionsOf(hook, circumstances)),
    ],
    published,
    losses,
    unforcedLapses: unforcedAmong(taken, stage.lossOptions.shared).length,
    hooks,
  }
}

async function injectAll({ faults }: RoundPlan, world: World): Promise<void> {
  await Promise.all(
    faults.map(async ({ atMs, kind, fault }) => {
      await sleep(atMs)
      world.journal.note(`fault ${kind}: ${fault.text}`)
      await fault.inject(world)
      world.journal.note(`healed ${kind}: ${fault.text}`)
    }),
  )
}
