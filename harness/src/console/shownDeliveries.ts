import type { WorkspaceClient } from '../support/workspaces.ts'
import type { LivedIn } from './demoWorld.ts'

/**
 * The event of a delivered delivery, and one delivery of each interesting kind with the most attempts:
 * failing, delivered, to a disabled webhook, dead.
 */
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
