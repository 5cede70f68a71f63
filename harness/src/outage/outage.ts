import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../faults/freePorts.ts'
import type { StoreName } from '../faults/run.ts'
import { postgresStore } from '../faults/stores/postgres.ts'
import { sqliteStore } from '../faults/stores/sqlite.ts'
import { ScriptedReceiver, type SeenRequest } from '../receivers/scriptedReceiver.ts'
import { EVENTS } from '../support/events.ts'
import { ForwardProxy } from '../support/forwardProxy.ts'
import { type PosthornProcess, type Settings, startService } from '../support/posthorn.ts'
import { eventually } from '../support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../support/workspaces.ts'
import { WAYS, type Way } from './ways.ts'

const LEASE_MS = 5_000
/** A webhook that fails for longer than this is disabled; the outage lasts longer. */
const FAILING_AFTER_S = 45
/** Seven waits, all of them over long before the outage ends. */
const RETRY = '1s,1s,2s,2s,5s,5s,5s'
const PUBLISH_EVERY_MS = 250
const WORKSPACES = 4
/** Before the outage, so that every receiver has answered. */
const BEFORE_MS = 15_000
/** The measured time after it. */
const MEASURED_MS = 60_000
const AFTER_MS = 120_000
/** The last events are delivered, and recorded, within this time. */
const SETTLES_WITHIN_MS = 5_000

export interface OutageOptions {
  readonly store: StoreName
  readonly way: Way['name']
  /** Duration of the outage. */
  readonly seconds: number
  readonly directory: string
  /** A minute by default. */
  readonly measuredMs?: number
}

export interface OutageReport {
  readonly deliveries: number
  /** Those created during the outage. */
  readonly waited: number
  /** Requests that got through during the outage, which show whether there was one. */
  readonly cameThrough: number
  readonly webhooksOff: number
  /** Attempts beyond the one that each delivery needs. */
  readonly attemptsUsed: number
  readonly emails: number
  /** From the end of the outage until all was delivered; `null`: not within two minutes. */
  readonly deliveredWithinMs: number | null
  /**
   * Of the requests of the first minute after the outage: delay after its end, or after the publish if that
   * was later.
   */
  readonly p50Ms: number
  readonly p99Ms: number
  /** Publishes that were not accepted. */
  readonly refusedPublishes: number
}

/**
 * Blocks the egress of all nodes for minutes while events are published, and checks the effects on the
 * receivers.
 */
export async function runOutage({
  store: storeName,
  way: wayName,
  seconds,
  directory,
  measuredMs = MEASURED_MS,
}: OutageOptions): Promise<OutageReport> {
  const way = WAYS.find(({ name }) => name === wayName)!
  const nodeCount = storeName === 'sqlite' ? 1 : 3
  const storeDirectory = path.join(directory, 'store')
  mkdirSync(storeDirectory, { recursive: true })
  const store =
    storeName === 'sqlite'
      ? sqliteStore(storeDirectory)
      : await postgresStore(storeDirectory, nodeCount, LEASE_MS)
  const receivers = await Promise.all(Array.from({ length: WORKSPACES }, () => ScriptedReceiver.start()))
  const proxies = await Promise.all(Array.from({ length: nodeCount }, () => ForwardProxy.start()))
  const services: PosthornProcess[] = []
  try {
    const probe = new URL(receivers[0]!.urlOf('/')).host
    for (const [position, port] of (await freePorts(nodeCount)).entries()) {
      const settings = { ...settingsOf(port, proxies[position]!, probe), ...store.settingsOf(position) }
      services.push(await startService({ dataDir: store.dataDirOf(position), settings }))
    }
    const { url } = services[0]!
    const hooks = await Promise.all(receivers.map((receiver, i) => setUpHook(url, receiver, i)))
    const publishing = new Publishing(hooks)
    await sleep(BEFORE_MS)
    const closedAt = Date.now()
    for (const [i, proxy] of proxies.entries()) way.begin(proxy, services[i]!.pid)
    await sleep(seconds * 1_000)
    for (const [i, proxy] of proxies.entries()) await way.end(proxy, services[i]!.pid)
    const openAt = Date.now()
    const deliveredWithinMs = await allDelivered(hooks, openAt)
    await sleep(Math.max(0, measuredMs - (Date.now() - openAt)))
    const refusedPublishes = await publishing.stop()
    await sleep(SETTLES_WITHIN_MS)
    const logs = await Promise.all(hooks.map(({ workspace, webhookId }) => workspace.deliveries(webhookId)))
    const deliveries = logs.flat()
    const states = await Promise.all(hooks.map((hook) => hook.isOff()))
    const seen = (await Promise.all(receivers.map((receiver) => receiver.requests()))).flat()
    const publishedWhileClosed = hooks
      .flatMap(({ published }) => published)
      .filter(({ at }) => at >= closedAt && at < openAt)
    return {
      deliveries: deliveries.length,
      waited: publishedWhileClosed.length,
      cameThrough: seen.filter(({ seenAt }) => seenAt >= closedAt && seenAt < openAt).length,
      webhooksOff: states.filter((off) => off).length,
      attemptsUsed: deliveries.reduce((sum, { attempts }) => sum + attempts.length - 1, 0),
      emails: services.reduce((sum, _, position) => sum + emailsIn(store.dataDirOf(position)), 0),
      deliveredWithinMs,
      ...waitsAfter(hooks, seen, openAt, measuredMs),
      refusedPublishes,
    }
  } finally {
    await Promise.all(services.map((service) => service.kill()))
    await Promise.all(receivers.map((receiver) => receiver.stop()))
    for (const proxy of proxies) proxy.stop()
    await store.stop(null)
  }
}

const settingsOf = (port: number, proxy: ForwardProxy, probe: string): Settings => ({
  POSTHORN_PORT: String(port),
  POSTHORN_LEASE: `${LEASE_MS}ms`,
  POSTHORN_CONTENT_RETRY: RETRY,
  POSTHORN_ADS_RETRY: RETRY,
  POSTHORN_CONTENT_TIMEOUT: '3s',
  POSTHORN_ADS_TIMEOUT: '3s',
  POSTHORN_FAILING_AFTER: `${FAILING_AFTER_S}s`,
  POSTHORN_EGRESS_PROXY: proxy.url,
  POSTHORN_EGRESS_PROBE: probe,
})

/** Repeatedly publishes an event for each webhook. */
class Publishing {
  readonly #ended: Promise<void>
  #refused = 0
  #stopped = false

  constructor(hooks: readonly Hook[]) {
    this.#ended = this.#publish(hooks)
  }

  /** @returns the number of rejected publishes */
  async stop(): Promise<number> {
    this.#stopped = true
    await this.#ended
    return this.#refused
  }

  async #publish(hooks: readonly Hook[]): Promise<void> {
    while (!this.#stopped) {
      for (const { publish } of hooks) await publish().catch(() => this.#refused++)
      await sleep(PUBLISH_EVERY_MS)
    }
  }
}

/** @returns how long after the outage all earlier events had arrived; `null`: not within two minutes */
async function allDelivered(hooks: readonly Hook[], openAt: number): Promise<number | null> {
  const due = hooks.flatMap(({ published }) => published.filter(({ at }) => at <= openAt))
  const whenDone = async () => {
    const requests = await Promise.all(hooks.map(({ receiver }) => receiver.requests()))
    const seen = new Set(requests.flat().map(({ eventId }) => eventId))
    return due.every(({ id }) => seen.has(id)) ? Date.now() - openAt : null
  }
  const patience = { withinMs: AFTER_MS, everyMs: 500, what: 'delivery of all that waited' }
  return eventually(whenDone, patience).catch(() => null)
}

function waitsAfter(
  hooks: readonly Hook[],
  requests: readonly SeenRequest[],
  openAt: number,
  measuredMs: number,
): Pick<OutageReport, 'p50Ms' | 'p99Ms'> {
  const publishedAt = new Map(hooks.flatMap(({ published }) => published.map(({ id, at }) => [id, at])))
  const waits = requests
    .filter(({ seenAt }) => seenAt >= openAt && seenAt < openAt + measuredMs)
    .map(({ seenAt, eventId }) => seenAt - Math.max(openAt, publishedAt.get(eventId)!))
    .sort((a, b) => a - b)
  const quantile = (part: number) => waits[Math.floor(waits.length * part)] ?? 0
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

const emailsIn = (dataDir: string): number => {
  const emails = path.join(dataDir, 'emails')
  return existsSync(emails) ? readdirSync(emails).length : 0
}

/** A webhook, its receiver, and its published events. */
interface Hook {
  readonly workspace: WorkspaceClient
  readonly webhookId: string
  readonly receiver: ScriptedReceiver
  /** Event ids, and when each was acknowledged; Unix ms. */
  readonly published: readonly { readonly id: string; readonly at: number }[]
  readonly publish: () => Promise<void>
  readonly isOff: () => Promise<boolean>
}

/** Creates a workspace of either service with one webhook. */
async function setUpHook(url: string, receiver: ScriptedReceiver, position: number): Promise<Hook> {
  const dialect = position % 2 === 0 ? 'content' : 'ads'
  const { common, make } = EVENTS[dialect]
  const workspace = await createWorkspace(() => url, dialect, `outage-${position}`)
  const { id: webhookId, secret } = await workspace.createWebhook(receiver.urlOf('/hook'), [common])
  const { scheme } = workspace
  await receiver.add({ path: '/hook', scheme, secrets: [secret], behavior: { kind: 'prompt' } })
  const published: { readonly id: string; readonly at: number }[] = []
  return {
    ...{ workspace, webhookId, receiver, published },
    async publish() {
      for (const id of await workspace.publish([make(common)])) published.push({ id, at: Date.now() })
    },
    async isOff() {
      // The endpoints of ads are never disabled.
      if (dialect === 'ads') return false
      const response = await fetch(`${url}/v1/workspaces/${workspace.id}/webhooks/${webhookId}`, {
        headers: { authorization: `Bearer ${workspace.key}` },
      })
      const { status } = (await response.json()) as { readonly status: string }
      return status !== 'on'
    },
  }
}
