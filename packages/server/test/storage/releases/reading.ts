import { HOUR_MS } from '../../../src/core/duration.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import { EVERYTHING } from '../../support/search.ts'

const ALL = { limit: 1000, before: null }

/** A summary of the history in a store. */
export async function summaryOf(storage: FlatStorage): Promise<object> {
  const workspaces = [...(await storage.listWorkspaces(ALL))].sort((a, b) => a.id - b.id)
  return {
    workspaces: await Promise.all(
      workspaces.map(async ({ id, dialect, slug }) => ({
        [`${slug} (${dialect})`]: await summaryOfWorkspace(storage, id),
      })),
    ),
    people: await peopleOf(storage),
    audit: (await storage.listAudit({ workspacePublicId: null, targetId: null, ...ALL }))
      .map(({ action }) => action)
      .sort(),
    notifications: (await storage.listNotifications(ALL)).map(
      ({ kind, sentAt }) => `${kind} ${sentAt !== null}`,
    ),
    samples: (await storage.queuePeaks({ from: 0, to: Number.MAX_SAFE_INTEGER, stepMs: HOUR_MS })).length,
  }
}

async function peopleOf(storage: FlatStorage): Promise<object> {
  const [byEmail, byPortal] = await Promise.all(
    ['link', 'portal'].map((hash) => storage.findSignInLink({ hash: Buffer.from(hash) })),
  )
  const browser = await storage.findBrowserSession({ hash: Buffer.from('browser') })
  return {
    operators: (await storage.listOperators(ALL)).map(({ email }) => email),
    browser: browser?.session.email,
    links: [byEmail?.link.kind, byPortal?.link.kind],
  }
}

async function summaryOfWorkspace(storage: FlatStorage, workspaceId: number): Promise<object> {
  const of = { workspaceId, ...ALL }
  const { deliveries } = await storage.searchDeliveries({ ...EVERYTHING, ...of })
  const { events } = await storage.listEvents({ workspaceId, eventTypes: null, after: null, limit: 1000 })
  const webhooks = await storage.listWebhooks(of)
  const targets = await storage.loadTargets({ webhookIds: webhooks.map(({ id }) => id), now: 0 })
  return {
    members: (await storage.listMembers(of)).map(({ email, role }) => `${email} ${role}`),
    keys: (await storage.listKeys(of)).map(
      ({ name, revokedAt }) => `${name}${revokedAt === null ? '' : ', revoked'}`,
    ),
    webhooks: webhooks.map(({ publicId, url, status }) => `${publicId} ${status} ${url}`),
    secrets: targets.flatMap(({ secrets }) => secrets).length,
    deliveries: countsOf(deliveries.map(({ status }) => status)),
    attempts: deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0),
    events: events.length,
  }
}

function countsOf(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const word of [...words].sort()) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
