import { grouped } from '../../support/grouped.ts'
import { Api } from '../../support/http.ts'
import { createWorkspace, type WorkspaceClient } from '../../support/workspaces.ts'
import type { PreparedBatch } from '../programs/publisher.ts'
import { BLANK_STAMP } from './stamp.ts'

/**
 * Each event goes to exactly one webhook: every workspace has ten webhooks, each for one of these types. They
 * all stay well under 600 bytes, so that all bodies can be padded to the same length.
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

/** A webhook, with the events that reach only it. */
export interface Hook {
  /** Path on the receiver; its first segment is the group. */
  readonly path: string
  readonly secret: string
  /** Path in the API, for its owner. */
  readonly webhookPath: string
  readonly publishPath: string
  readonly batchPath: string
  readonly key: string
  /** As published; `actor_id` is {@link BLANK_STAMP}. */
  readonly event: object
  /** As the receiver gets it, with the time of the example. */
  readonly body: string
}

/** The data needed to publish to a webhook. */
export type PublishedHook = Pick<Hook, 'batchPath' | 'key' | 'event'>

interface LoadOptions {
  readonly webhooks: number
  /** Per workspace; 10 if omitted, which is also the maximum. */
  readonly webhooksPerWorkspace?: number
  readonly receiverOrigin: string
  /** Distinguishes the webhooks from others on the same receiver, and names the workspaces. */
  readonly group?: string
}

/** Creates as many workspaces as the webhooks need. */
export async function prepareLoad(baseUrl: () => string, options: LoadOptions): Promise<Hook[]> {
  const { webhooks, receiverOrigin, webhooksPerWorkspace = TYPES.length, group = 'hooks' } = options
  const api = new Api(baseUrl)
  const hooks: Hook[] = []
  const workspaces = Math.ceil(webhooks / webhooksPerWorkspace)
  for (let number = 0; number < workspaces; number++) {
    // The same number in each, so that all workspaces get the same number of deliveries.
    const types = TYPES.slice(0, Math.ceil((webhooks - hooks.length) / (workspaces - number)))
    const slug = `${group}-${number}`
    const workspace = await createWorkspace(baseUrl, 'content', slug)
    for (const type of types) {
      const path = `/${group}/${hooks.length}`
      const { id, secret } = await workspace.createWebhook(`${receiverOrigin}${path}`, [type])
      hooks.push({
        path,
        secret,
        webhookPath: `/v1/workspaces/${workspace.id}/webhooks/${id}`,
        publishPath: `/v1/workspaces/${workspace.id}/events`,
        batchPath: workspace.publishPath,
        key: workspace.key,
        ...(await makeEvent(api, workspace, type)),
      })
    }
  }
  return hooks
}

/** Changes the URL of existing webhooks to another receiver. */
export async function moveHooks(
  baseUrl: () => string,
  hooks: readonly Hook[],
  receiverOrigin: string,
): Promise<void> {
  const api = new Api(baseUrl)
  for (const { webhookPath, key, path } of hooks)
    await api.patch(webhookPath, { token: key, body: { url: `${receiverOrigin}${path}` } })
}

/** A batch per workspace, its webhooks in turn. */
export function batchesOf(hooks: readonly PublishedHook[], batchEvents: number): PreparedBatch[] {
  return [...grouped(hooks, ({ batchPath }) => batchPath)].map(([path, ofWorkspace]) => ({
    path,
    key: ofWorkspace[0]!.key,
    events: batchEvents,
    body: JSON.stringify({
      events: Array.from({ length: batchEvents }, (_, i) => ofWorkspace[i % ofWorkspace.length]!.event),
    }),
  }))
}

interface Sample {
  readonly samples: readonly { readonly data: Record<string, unknown> }[]
}

/** Pads the service's own example of a type to the measured size. */
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
    JSON.stringify({
      type,
      timestamp: new Date().toISOString(),
      data: { ...composed, actor_id: BLANK_STAMP, links: { app } },
    })
  const missing = BODY_BYTES - Buffer.byteLength(bodyWith(LINK))
  if (missing < 0) throw new Error(`the example of ${type} is larger than ${BODY_BYTES} bytes`)
  const app = LINK + 'x'.repeat(missing)
  return { event: { type, data, actor_id: BLANK_STAMP, links: { app } }, body: bodyWith(app) }
}
