import type { WorkspaceClient } from '../support/workspaces.ts'
import type { DemoWorld } from './demoWorld.ts'

/** One delivery of each kind that is worth looking at: one that fails, one that arrived, one that is dead. */
export async function shownDeliveries({ content, ads }: DemoWorld) {
  const first = async (workspace: WorkspaceClient, webhookId: string, status: string) => {
    const found = (await workspace.deliveries(webhookId)).find((delivery) => delivery.status === status)
    if (found === undefined) throw new Error(`no delivery to ${webhookId} is ${status}`)
    return found.id
  }
  return {
    failing: await first(content, content.webhooks.failing, 'pending'),
    delivered: await first(content, content.webhooks.healthy, 'delivered'),
    dead: await first(ads, ads.endpoints.dead, 'dead'),
  }
}
