import { Api } from '../support/http.ts'
import { createWorkspace, type WorkspaceClient } from '../support/workspaces.ts'
import type { PreparedBatch } from './programs/publisher.ts'

/**
 * One event goes to exactly one webhook: every workspace has ten webhooks, each for one of these types. They all stay
 * well under 600 bytes, so that all bodies can be made equally long.
 */
const TYPES = [
  'generation.ready_for_review',
  'generation.review_requested',
  'generation.needs_input',
  'generation.failed',
  'version.approved',
  'version.changes_requested',
  'publication.published',
  'plan.ready',
  'comment.created',
  'schedule.cancel_required',
] as const

const BODY_BYTES = 600
const COMPOSED_BY_SERVICE = ['workspace', 'actor_id', 'links']
const LINK = 'https://app.content.example/'

export interface Load {
  readonly batches: readonly PreparedBatch[]
  /** The bodies that receivers get, with an example's time. */
  readonly bodies: readonly string[]
  readonly paths: readonly string[]
  readonly secret: string
  readonly receiverOrigin: string
}

interface LoadOptions {
  readonly webhooks: number
  readonly batchEvents: number
  readonly receiverOrigin: string
}

/** Makes the workspaces and their webhooks, and the batches that are published to them. */
export async function prepareLoad(baseUrl: () => string, options: LoadOptions): Promise<Load> {
  const { webhooks, batchEvents, receiverOrigin } = options
  const api = new Api(baseUrl)
  const batches: PreparedBatch[] = []
  const bodies: string[] = []
  const paths: string[] = []
  let secret = ''
  for (let made = 0; made < webhooks; made += TYPES.length) {
    const types = TYPES.slice(0, webhooks - made)
    const workspace = await createWorkspace(baseUrl, 'content', `bench-${made / TYPES.length}`)
    const events: object[] = []
    for (const type of types) {
      const path = `/hooks/${paths.length}`
      const created = await workspace.createWebhook(`${receiverOrigin}${path}`, [type])
      secret = created.secret
      paths.push(path)
      const { event, body } = await makeEvent(api, workspace, type)
      events.push(event)
      bodies.push(body)
    }
    batches.push({
      path: workspace.publishPath,
      key: workspace.key,
      events: batchEvents,
      body: JSON.stringify({
        events: Array.from({ length: batchEvents }, (_, i) => events[i % events.length]),
      }),
    })
  }
  return { batches, bodies, paths, secret, receiverOrigin }
}

interface Sample {
  readonly samples: readonly { readonly data: Record<string, unknown> }[]
}

/** Takes the service's own example of a type and fills it up to the size that is measured with. */
async function makeEvent(
  api: Api,
  workspace: WorkspaceClient,
  type: string,
): Promise<{ readonly event: object; readonly body: string }> {
  const { samples } = await api.get<Sample>(`/v1/workspaces/${workspace.id}/webhooks/sample?event=${type}`, {
    token: workspace.key,
  })
  const composed = samples[0]!.data
  const data = Object.fromEntries(
    Object.entries(composed).filter(([member]) => !COMPOSED_BY_SERVICE.includes(member)),
  )
  const bodyWith = (app: string) =>
    JSON.stringify({ type, timestamp: new Date().toISOString(), data: { ...composed, links: { app } } })
  const missing = BODY_BYTES - Buffer.byteLength(bodyWith(LINK))
  if (missing < 0) throw new Error(`the example of ${type} is larger than ${BODY_BYTES} bytes`)
  const app = LINK + 'x'.repeat(missing)
  return { event: { type, data, actor_id: composed.actor_id, links: { app } }, body: bodyWith(app) }
}
