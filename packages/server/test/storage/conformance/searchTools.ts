import { expect } from 'vitest'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import type { Workspace } from '../../../src/storage/rows.ts'
import type { TextQuery } from '../../../src/storage/storage.ts'
import { EVERYTHING } from '../../support/search.ts'
import type { World } from './world.ts'

export const MEMBERS = ['data.id', 'data.title', 'data.tags'] as const

export type EventSearch = Parameters<StorageCalls['searchEvents']>[0]

export const body = (data: object) => JSON.stringify({ type: 'thing.happened', data })

/** Publishes one event for each of these. */
export async function publish(
  w: World,
  workspace: Workspace,
  data: readonly object[],
  type = 'thing.happened',
) {
  const events = await w.events(data.length, workspace, { type })
  await w.publish(
    await w.node(),
    events.map((event, position) => ({ ...event, body: body(data[position]!) })),
  )
  return events.map(({ id }) => id)
}

/** Indexes all events. */
export async function index(w: World, workspace: Workspace, limit = 500): Promise<number> {
  await w.settled()
  const searchable = { [workspace.dialect]: MEMBERS }
  let all = 0
  for (let more = true; more; ) {
    const { parts, left } = await w.storage.readUnindexed({
      workspaceIds: [workspace.id],
      searchable,
      limit,
    })
    const step = await w.storage.indexEvents({ parts })
    expect(step.indexed).toBeLessThanOrEqual(limit + 100)
    all += step.indexed
    more = left.length > 0
  }
  for (let more = true; more; ) more = (await w.storage.indexCodes({ limit: 100 })).more
  return all
}

export const text = (...words: string[]): TextQuery => ({ words, members: MEMBERS })

export const searched = (w: World, { id: workspaceId }: Workspace, search: Partial<EventSearch> = {}) =>
  w.storage.searchEvents({
    workspaceId,
    eventTypes: null,
    text: null,
    event: null,
    from: null,
    to: null,
    limit: 100,
    before: null,
    ...search,
  })

export const found = async (w: World, workspace: Workspace, search: Partial<EventSearch>) =>
  (await searched(w, workspace, search)).events.map(({ id }) => id)

export const deliveries = async (
  w: World,
  { id: workspaceId }: Workspace,
  filter: Partial<Parameters<StorageCalls['searchDeliveries']>[0]>,
) => w.storage.searchDeliveries({ ...EVERYTHING, workspaceId, limit: 100, before: null, ...filter })
