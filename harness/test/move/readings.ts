import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { ADS_TYPE, CONTENT_TYPE } from '../sampleEvents.ts'
import type { Caller } from './caller.ts'
import type { History } from './history.ts'

interface Item {
  readonly id: string
}

/** The cursor of a list, and the page after it. */
interface Step {
  readonly path: string
  readonly token: string
  readonly cursor: string
  readonly data: readonly unknown[]
}

/** The API's answers for all resources, by path. */
export interface Reading {
  readonly answers: Readonly<Record<string, unknown>>
  /** The pages of every list, each with its cursor. */
  readonly steps: readonly Step[]
}

/** Few enough that most lists have several pages. */
const PAGE = 3

/** Reads every list, and every resource in a list. */
export async function readEverything(api: Caller, { content, ads, replayId }: History): Promise<Reading> {
  const reader = new Reader(api)
  for (const { id } of await reader.list<Item>('/admin/v1/workspaces', ADMIN_TOKEN))
    for (const kind of ['members', 'keys']) {
      const path = `/admin/v1/workspaces/${id}/${kind}`
      await reader.each(path, await reader.list<Item>(path, ADMIN_TOKEN), ADMIN_TOKEN)
    }
  await reader.list('/admin/v1/audit-log', ADMIN_TOKEN)
  await readContent(reader, `/v1/workspaces/${content.ws}`, content.key, content.session)
  await readAds(reader, ads.key, ads.session)
  await reader.one(`/api/v1/webhook-deliveries/replays/${replayId}`, ads.key)
  return reader
}

async function readContent(reader: Reader, base: string, key: string, session: string): Promise<void> {
  const webhooks = await reader.list<Item>(`${base}/webhooks`, key)
  await reader.each(`${base}/webhooks`, webhooks, key)
  for (const { id } of webhooks) {
    const path = `${base}/webhooks/${id}/deliveries`
    await reader.each(path, await reader.list<Item>(path, key), key)
  }
  await reader.each(`${base}/events`, await reader.feed<Item>(`${base}/events`, key), key)
  await reader.one(`${base}/webhooks/sample?event=${CONTENT_TYPE}`, key)
  await reader.list(`${base}/audit-log`, session)
}

async function readAds(reader: Reader, key: string, session: string): Promise<void> {
  await reader.each('/api/v1/webhooks', await reader.list<Item>('/api/v1/webhooks', key), key)
  const deliveries = '/api/v1/webhook-deliveries'
  await reader.each(deliveries, await reader.list<Item>(deliveries, key), key)
  for (const filter of ['status=dead', `eventType=${ADS_TYPE}`])
    await reader.list(`${deliveries}?${filter}`, key)
  await reader.each('/api/v1/events', await reader.feed<Item>('/api/v1/events', key), key)
  await reader.list('/api/v1/audit-log', session)
}

class Reader implements Reading {
  readonly answers: Record<string, unknown> = {}
  readonly steps: Step[] = []
  readonly #api: Caller

  constructor(api: Caller) {
    this.#api = api
  }

  async one(path: string, token: string): Promise<void> {
    this.answers[path] = lasting(await this.#api.get(path, token))
  }

  async each(path: string, items: readonly Item[], token: string): Promise<void> {
    for (const { id } of items) await this.one(`${path}/${id}`, token)
  }

  list<T>(path: string, token: string): Promise<readonly T[]> {
    return this.#pages<T>(path, token, 'cursor')
  }

  /** The same for a feed, which always returns a next cursor. */
  feed<T>(path: string, token: string): Promise<readonly T[]> {
    return this.#pages<T>(path, token, 'after')
  }

  async #pages<T>(path: string, token: string, parameter: 'cursor' | 'after'): Promise<readonly T[]> {
    const all: unknown[] = []
    const base = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`
    for (let cursor: string | null = null; ; ) {
      const at: string = cursor === null ? base : `${base}&${parameter}=${cursor}`
      const page = await readPage(this.#api, at, token)
      if (cursor !== null) this.steps.push({ path: `${base}&${parameter}=`, token, cursor, data: page.data })
      all.push(...page.data)
      if (page.next === null || page.data.length === 0) break
      cursor = page.next
    }
    this.answers[path] = all
    return all as readonly T[]
  }
}

/** Repeats the steps of an earlier reading with its cursors. @returns the same steps, as they are now */
export async function repeatSteps(api: Caller, steps: readonly Step[]): Promise<readonly Step[]> {
  const repeated: Step[] = []
  for (const step of steps)
    repeated.push({ ...step, data: (await readPage(api, `${step.path}${step.cursor}`, step.token)).data })
  return repeated
}

async function readPage(api: Caller, path: string, token: string) {
  const page = await api.get<{
    data: readonly unknown[]
    next_cursor?: string | null
    nextCursor?: string | null
  }>(path, token)
  return { data: page.data.map(lasting), next: page.next_cursor ?? page.nextCursor ?? null }
}

/** Without values that reading changes: when a key was last used. */
function lasting(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { last_used_at: _, ...rest } = value as { last_used_at?: unknown }
  return rest
}
