import type { WorkspaceClient } from '../support/workspaces.ts'
import type { LivedIn } from './demoWorld.ts'

/** The event of one that arrived, and one delivery of each kind that is worth looking at, of those the one that took most attempts: one that fails, one that arrived, one to a webhook that is off, one that is dead. */
export async function shownDeliveries({ content, ads }: LivedIn) {
  const longest = async (workspace: WorkspaceClient, webhookId: string, status: string) => {
    const found = (await workspace.deliveries(webhookId)).filter((delivery) => delivery.status === status)
    if (found.length === 0) throw new Error(`no delivery to ${webhookId} is ${status}`)
    return found.reduce((most, one) => (one.attempts.length > most.attempts.length ? one : most))
  }
  const delivered = await longest(content, content.webhooks.healthy, 'delivered')
  return {
    failing: (await longest(content, content.webhooks.failing, 'pending')).id,
    delivered: delivered.id,
    event: delivered.eventId,
    off: (await longest(content, content.webhooks.gone, 'failed')).id,
    dead: (await longest(ads, ads.endpoints.dead, 'dead')).id,
  }
}
