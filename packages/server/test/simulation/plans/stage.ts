import type { Engine } from '../../../src/engine/engine.ts'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import { BY } from '../../support/testEngine.ts'
import { urlOf } from '../receivers/receivers.ts'
import type { Plan, World } from './plan.ts'

export function createWorkspaces(
  { workspaces }: Plan,
  { ids }: Engine,
  storage: FlatStorage,
): Promise<Workspace[]> {
  return Promise.all(
    workspaces.map(async ({ dialect }, position) => {
      const slug = `ws-${position}`
      const publicId = ids.create(dialect, 'workspace')
      return (await storage.createWorkspace({ publicId, dialect, slug, name: slug, now: 0 }))!
    }),
  )
}

export function createWebhooks(
  plan: Plan,
  engine: Engine,
  workspaces: readonly Workspace[],
): Promise<Webhook[]> {
  const createdBy = { type: 'member', publicId: 'usr_owner' } as const
  const wanted = plan.workspaces.flatMap(({ webhooks }, position) =>
    webhooks.map((eventTypes) => ({ workspace: workspaces[position]!, eventTypes })),
  )
  return Promise.all(
    wanted.map(async (input, receiver) => {
      const made = await engine.createWebhook({ ...input, url: urlOf(receiver), createdBy }, BY)
      if (made.outcome !== 'created') throw new Error(made.outcome)
      return made.webhook
    }),
  )
}

export function schedulePeople({ people, lastsMs }: Plan, world: World): void {
  if (people === undefined) return
  const schedule = (round: number) => {
    if (round * people.everyMs >= lastsMs) return
    world.clock.after(round * people.everyMs - world.clock.monotonic(), () => {
      people.act(world, round)
      schedule(round + 1)
    })
  }
  schedule(1)
}
