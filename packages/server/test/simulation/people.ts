import { BY } from '../support/testEngine.ts'
import type { Draws } from './draws.ts'
import type { MemoryStore } from './memoryStore.ts'
import type { World } from './plan.ts'
import { toRecord } from './storeRows.ts'

/** Of the webhooks that are off, the share that somebody switches on again each time people look. */
const SWITCHED_ON = 0.1
/** Likewise of the dead deliveries that somebody replays. */
const REPLAYED = 0.02

/** @returns what people do who look after webhooks: switch on what was switched off, and replay what died */
export function peopleOver(store: MemoryStore, draws: Draws): (world: World, round: number) => void {
  return ({ engine, workspaces, webhooks }, round) => {
    for (const { id, status, workspace } of store.webhooks) {
      if (status === 'on' || draws.of(30, id, round) >= SWITCHED_ON) continue
      void engine.updateWebhook(workspace, webhooks[id - 1]!, { enabled: true }, null, BY)
    }
    for (const delivery of store.deliveries) {
      if (delivery.status !== 'dead' || draws.of(31, delivery.id, round) >= REPLAYED) continue
      void engine.replay(workspaces[delivery.webhook.workspace.id - 1]!, toRecord(delivery), BY)
    }
  }
}
