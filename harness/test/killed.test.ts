import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { Api } from '../src/support/http.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'
import { KillableNodes, NODES_ON_STORES } from './killableNodes.ts'

const KILLS = dose(2, 20)
const EVENTS_EACH = 30
/** A stream is reopened after this time. */
const STREAM_MS = 5_000
const HOOK = '/operational'
const PATIENCE = { withinMs: 120_000, everyMs: 500 }

interface FoundPage {
  readonly data: readonly { readonly id: string }[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

interface ConsumedPage {
  readonly events: readonly { readonly id: string }[]
  readonly ack: string | null
}

/** The events of a stream of server-sent events, until it breaks. */
async function* streamOf(
  url: string,
  token: string,
  last: string,
): AsyncGenerator<{ readonly id: string; readonly data: { readonly id: string } }> {
  const headers = { authorization: `Bearer ${token}`, ...(last === '' ? {} : { 'last-event-id': last }) }
  const signal = AbortSignal.timeout(STREAM_MS)
  const response = await fetch(url, { headers, signal })
  if (response.status !== 200) throw new Error(`the answer was ${response.status}`)
  let rest = ''
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const messages = (rest + text).split('\n\n')
    rest = messages.pop()!
    for (const message of messages) {
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(message) ?? []
      if (data !== undefined) yield { id: id!, data: JSON.parse(data) }
    }
  }
}

describe.each(NODES_ON_STORES)('$name, killed repeatedly', (store) => {
  let nodes: KillableNodes
  let receiver: ScriptedReceiver
  let workspace: WorkspaceClient
  let api: Api

  beforeEach(async () => {
    ;[nodes, receiver] = await Promise.all([KillableNodes.start(store), ScriptedReceiver.start()])
    const next = () => nodes.next()
    workspace = await createWorkspace(next, 'content', 'killed')
    api = new Api(next)
  })

  afterEach(() => Promise.all([nodes.remove(), receiver.stop()]))

  /** Ids of all events that a search finds, oldest first. */
  async function found(question: string): Promise<string[]> {
    const ids: string[] = []
    let cursor = ''
    for (;;) {
      const path = `/v1/workspaces/${workspace.id}/events?q=${question}&limit=100${cursor}`
      const page = await api.get<FoundPage>(path, { token: workspace.key })
      ids.push(...page.data.map(({ id }) => id))
      if (page.next_cursor === null || !page.has_more) return ids.reverse()
      cursor = `&after=${encodeURIComponent(page.next_cursor)}`
    }
  }

  test('the search finds every event accepted right before a kill', {
    timeout: 420_000,
  }, async () => {
    const { common, make, newSubject } = EVENTS.content
    const subject = newSubject()
    const accepted: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const events = Array.from({ length: EVENTS_EACH }, () => make(common, subject))
      accepted.push(...(await workspace.publish(events)))
      await nodes.kill(kill)
      await nodes.startAgain(kill)
    }
    await eventually(async () => (await found(`sch_${subject}`)).length >= accepted.length || null, {
      ...PATIENCE,
      what: 'all events in the index of the search',
    })
    expect((await found(`sch_${subject}`)).toSorted()).toEqual(accepted.toSorted())
  })

  test('a webhook disabled right before a kill is reported to the operational webhook, as one event', {
    timeout: 420_000,
  }, async () => {
    const { id: ws, key: token } = workspace
    const { signing_secret: secret } = await api.post<{ signing_secret: string }>(
      `/v1/workspaces/${ws}/operational-webhook`,
      { token, body: { url: receiver.urlOf(HOOK), events: ['webhook.disabled'] } },
    )
    await receiver.add({ path: HOOK, scheme: 'standard', secrets: [secret], behavior: { kind: 'prompt' } })
    const disabled: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const { id } = await workspace.createWebhook(receiver.urlOf(`/${kill}`), [EVENTS.content.common])
      await api.patch(workspace.webhookPath(id), { token, body: { enabled: false } })
      disabled.push(id)
      await nodes.kill(kill)
      await nodes.startAgain(kill)
    }
    const reported = async () => {
      const requests = await receiver.requests()
      return requests.map(({ eventId, body, forgery }) => {
        const { data } = JSON.parse(body) as { readonly data: { readonly webhook: { readonly id: string } } }
        return { eventId, webhookId: data.webhook.id, forgery }
      })
    }
    await eventually(
      async () => new Set((await reported()).map(({ webhookId }) => webhookId)).size === KILLS || null,
      { ...PATIENCE, what: 'a report of each webhook' },
    )
    const reports = await reported()
    expect(reports.filter(({ forgery }) => forgery !== null)).toEqual([])
    expect([...new Set(reports.map(({ webhookId }) => webhookId))].toSorted()).toEqual(disabled.toSorted())
    // It may arrive more than once, but each time as the same event.
    expect(new Set(reports.map(({ eventId }) => eventId)).size).toBe(KILLS)
  })

  test('a consumer gets every accepted event in order, whatever node it calls', {
    timeout: 420_000,
  }, async () => {
    const { common, make, newSubject } = EVENTS.content
    const { id: ws, key: token } = workspace
    const consumers = `/v1/workspaces/${ws}/consumers`
    for (const name of ['crm', 'stream'])
      await api.post(consumers, { token, body: { name, start: 'oldest' } })
    const accepted: string[] = []
    const seen: string[] = []
    let isOver = false
    /** Whether all accepted events are known. */
    let isPublished = false
    const publishing = async () => {
      while (!isOver) {
        const events = Array.from({ length: 3 }, () => make(common, newSubject()))
        // A publish in flight at a kill may be stored or not; it was not accepted.
        const ids = await workspace.publish(events).catch(() => [])
        accepted.push(...ids)
        if (ids.length === 0) await sleep(20)
      }
      isPublished = true
    }
    const consuming = async () => {
      while (!isPublished || accepted.some((id) => !new Set(seen).has(id))) {
        try {
          const page = await api.get<ConsumedPage>(`${consumers}/crm/events?limit=7&wait=1`, { token })
          seen.push(...page.events.map(({ id }) => id))
          if (page.ack !== null) await api.post(`${consumers}/crm/ack`, { token, body: { ack: page.ack } })
        } catch {
          await sleep(20)
        }
      }
    }
    const streamed: string[] = []
    const streaming = async () => {
      let last = ''
      while (!isPublished || accepted.some((id) => !new Set(streamed).has(id))) {
        try {
          for await (const { id, data } of streamOf(
            `${nodes.next()}${consumers}/stream/stream`,
            token,
            last,
          )) {
            last = id
            streamed.push(data.id)
            if (isPublished && data.id === accepted.at(-1)) break
          }
        } catch {
          await sleep(20)
        }
      }
    }
    const both = Promise.all([publishing(), consuming(), streaming()])
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(300)
      await nodes.kill(kill)
      await nodes.startAgain(kill)
    }
    await sleep(300)
    isOver = true
    await both
    const isAccepted = new Set(accepted)
    expect([...new Set(seen)].filter((id) => isAccepted.has(id))).toEqual(accepted)
    // A stream continues right after its last event.
    expect(streamed.filter((id) => isAccepted.has(id))).toEqual(accepted)
    expect(accepted.length).toBeGreaterThan(KILLS)
  })
})
