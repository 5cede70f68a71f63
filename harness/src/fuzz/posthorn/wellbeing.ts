import { readFileSync } from 'node:fs'
import type { ApiClient } from '../../api/client.ts'
import { ADMIN_TOKEN, type PosthornProcess } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import type { Playground } from './playground.ts'

/** More than this is a leak: a service with the same requests all day needs a quarter of it. */
const MEMORY_LIMIT_BYTES = 600 * 1024 * 1024
const DELIVERED_WITHIN_MS = 20_000

interface Published {
  readonly events: readonly { readonly id: string }[]
}

/** Complaints about a service after a run; empty when it is still healthy. */
export async function complaintsAbout(
  service: PosthornProcess,
  client: ApiClient,
  playground: Playground,
): Promise<readonly string[]> {
  const checks: readonly (() => Promise<string | null> | string | null)[] = [
    () => probe(client, 'healthz'),
    () => probe(client, 'readyz'),
    () => memory(service),
    () => errorsIn(service),
    () => delivery(client, playground),
  ]
  const complaints: string[] = []
  for (const check of checks) {
    const complaint = await Promise.resolve()
      .then(check)
      .catch((error: unknown) => String(error))
    if (complaint !== null) complaints.push(complaint)
  }
  return complaints
}

async function probe(client: ApiClient, operation: string): Promise<string | null> {
  const { status, text } = await client.call(operation)
  return status === 200 ? null : `${operation} answered ${status}: ${text}`
}

/** Resident memory of the process, in bytes. */
function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

function memory({ pid }: PosthornProcess): string | null {
  const bytes = residentBytes(pid)
  return bytes < MEMORY_LIMIT_BYTES ? null : `it holds ${Math.round(bytes / 1024 ** 2)} MB of memory`
}

/** The log has a line of level 50 for each unexpected failure. */
function errorsIn({ stdout, stderr }: PosthornProcess): string | null {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /"level":(50|60)/.test(line))
  return lines.length === 0 ? null : `it logged errors:\n${lines.slice(0, 5).join('\n')}`
}

/** A new workspace gets an event delivered. */
async function delivery(client: ApiClient, playground: Playground): Promise<string | null> {
  const slug = `after-${Date.now().toString(36)}`
  const admin = { key: ADMIN_TOKEN }
  const created = await client.call<{ id: string }>('createWorkspace', {
    ...admin,
    json: { dialect: 'content', slug, name: 'Afterwards' },
  })
  const params = { ws: created.json.id }
  const scopes = ['webhooks', 'generations:read', 'events:write']
  const { key } = (
    await client.call<{ key: string }>('createKey', { ...admin, params, json: { name: 'k', scopes } })
  ).json
  const url = playground.urlOf(`/${slug}`)
  const webhook = { key, params, json: { url, events: ['schedule.cancel_required'] } }
  const { id } = (await client.call<{ id: string }>('createContentWebhook', webhook)).json
  const event = { type: 'schedule.cancel_required', data: { subject_id: 'sch_after' } }
  const published = await client.call<Published>('publishContentEvents', {
    key,
    params,
    json: { events: [event] },
  })
  if (published.status !== 202) return `a publish was answered with ${published.status}: ${published.text}`
  await eventually(
    async () => {
      const log = await client.call<{ data: readonly { status: string }[] }>('listContentDeliveries', {
        key,
        params: { ...params, id },
      })
      return log.json.data[0]?.status === 'delivered' ? true : null
    },
    { withinMs: DELIVERED_WITHIN_MS, what: 'delivery of an event that was published afterwards' },
  )
  return playground.received(`/${slug}`) === 1 ? null : 'the event is delivered in the log and did not arrive'
}
