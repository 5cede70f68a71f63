import { performance } from 'node:perf_hooks'
import type { WorkspaceClient } from '../../support/workspaces.ts'

/**
 * An event type of the ads service, where a workspace may have any number of endpoints; the content service
 * limits them.
 */
const FANOUT_EVENT_TYPE = 'segment.created.v1'
const ENTITY_ID = '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11'
/** Endpoints that are created concurrently. */
const CREATED_AT_ONCE = 16
/** Long enough for a service that creates all deliveries of a batch before it answers. */
const ANSWER_WITHIN_MS = 300_000

/** A small fan-out event. @param name text in the payload, which every receiver gets */
export const fanoutEvent = (name: string) => ({
  type: FANOUT_EVENT_TYPE,
  entityType: 'segment',
  entityId: ENTITY_ID,
  payload: { name, kind: 'rule' },
})

export interface Endpoints {
  /** The n-th has the path `/<group>/<n>`. */
  readonly ids: readonly string[]
  /** Endpoints created per second. */
  readonly perSecond: number
}

/** Creates endpoints that receive every event of the fan-out. */
export async function createEndpoints(
  workspace: WorkspaceClient,
  receiverOrigin: string,
  group: string,
  endpoints: number,
): Promise<Endpoints> {
  const ids: string[] = Array.from({ length: endpoints })
  let next = 0
  const create = async () => {
    while (next < endpoints) {
      const number = next++
      const { id } = await workspace.createWebhook(`${receiverOrigin}/${group}/${number}`, [
        FANOUT_EVENT_TYPE,
      ])
      ids[number] = id
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create))
  return { ids, perSecond: (endpoints / (performance.now() - startedAt)) * 1000 }
}

/** A batch, and the row of each of its events in the receiver's grid. */
export interface FanoutBatch {
  /** The row of its first event; the others follow. */
  readonly firstRow: number
  readonly events: number
  /** JSON. */
  readonly body: string
}

export type PublishAnswer =
  | { readonly ids: readonly string[] }
  /** 429 or 503: the service asks to publish it again later. */
  | { readonly retryAfterMs: number }

/** @throws Error for any other answer, or for none */
export async function publishBatch(
  url: string,
  { publishPath, key }: Pick<WorkspaceClient, 'publishPath' | 'key'>,
  { body }: FanoutBatch,
): Promise<PublishAnswer> {
  const response = await fetch(`${url}${publishPath}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    body,
  })
  const text = await response.text()
  if (response.status === 429 || response.status === 503)
    return { retryAfterMs: Number(response.headers.get('retry-after') ?? 1) * 1000 }
  if (response.status !== 202) throw new Error(`the batch got the response ${response.status} ${text}`)
  const { events } = JSON.parse(text) as { readonly events: readonly { readonly id: string }[] }
  return { ids: events.map(({ id }) => id) }
}
