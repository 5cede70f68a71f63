import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Behavior } from '../src/receivers/behavior.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { Api } from '../src/support/http.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type LoggedDelivery, type WorkspaceClient } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'
import { KillableNodes, NODES_ON_STORES } from './killableNodes.ts'

const CALLERS = 50
const KILLS = dose(2, 20)
const RECOVERED = KILLS * 100
const HOOK = '/hook'
const PATIENCE = { withinMs: 120_000, everyMs: 100 }

interface Recovery {
  readonly id: string
  readonly status: string
  readonly total: number
  readonly done: number
  readonly delivered: number
  readonly failed: number
}

describe.each(NODES_ON_STORES)('$name', (store) => {
  let receiver: ScriptedReceiver
  let nodes: KillableNodes
  let workspace: WorkspaceClient
  let webhookId: string
  let secret: string

  const next = () => nodes.next()

  /** @param retry the waits before retries */
  async function serve(retry: string): Promise<void> {
    nodes = await KillableNodes.start(store, { POSTHORN_ADS_RETRY: retry })
    workspace = await createWorkspace(next, 'ads', 'recovering')
    const webhook = await workspace.createWebhook(receiver.urlOf(HOOK), [EVENTS.ads.common])
    webhookId = webhook.id
    secret = webhook.secret
    await answer({ kind: 'status', status: 503 })
  }

  /** Forgets the receiver's requests, and sets how it answers from now on. */
  async function answer(behavior: Behavior): Promise<void> {
    await receiver.forget()
    await receiver.add({ path: HOOK, scheme: workspace.scheme, secrets: [secret], behavior })
  }

  beforeEach(async () => {
    receiver = await ScriptedReceiver.start()
  })

  afterEach(async () => {
    await Promise.all([nodes.remove(), receiver.stop()])
  })

  /** Publishes events and waits until each has failed `attempts` times. */
  async function failing(events: number, attempts: number): Promise<void> {
    const { common, make } = EVENTS.ads
    for (let left = events; left > 0; left -= 100)
      await workspace.publish(Array.from({ length: Math.min(left, 100) }, () => make(common)))
    // Reading the whole log takes long.
    await eventually(async () => (await receiver.count()).requests >= events * attempts || null, {
      ...PATIENCE,
      what: 'all attempts',
    })
    await settledLog((delivery) => delivery.attempts.length === attempts)
  }

  /** The log once all of it matches. */
  function settledLog(so: (delivery: LoggedDelivery) => boolean): Promise<LoggedDelivery[]> {
    return eventually(
      async () => {
        const log = await workspace.deliveries(webhookId)
        return log.every(so) ? log : null
      },
      { ...PATIENCE, everyMs: 500, what: 'a log in which all are so' },
    )
  }

  /** One concurrent call of each caller. @returns the statuses of their answers */
  const callAtOnce = (operationPath: string, body?: object): Promise<number[]> =>
    Promise.all(
      Array.from({ length: CALLERS }, async () => {
        const response = await fetch(`${next()}${operationPath}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${workspace.key}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        await response.arrayBuffer()
        return response.status
      }),
    )

  const triggersOf = ({ attempts }: LoggedDelivery) => attempts.map(({ trigger }) => trigger)

  test('50 concurrent retries cause one more attempt of each delivery', async () => {
    await serve('1h')
    await failing(20, 1)
    await answer({ kind: 'slow', delayMs: 50 })
    const statuses = await callAtOnce(`${workspace.webhookPath(webhookId)}/retry`)
    expect(statuses).toEqual(Array(CALLERS).fill(202))
    const log = await settledLog(({ status }) => status === 'delivered')
    expect(log.map(triggersOf)).toEqual(Array(20).fill(['schedule', 'retry']))
    expect((await receiver.count()).requests).toBe(20)
  })

  test('50 concurrent recoveries cause one more attempt of each delivery', async () => {
    await serve('10ms')
    await failing(200, 2)
    await answer({ kind: 'prompt' })
    const statuses = await callAtOnce(`${workspace.webhookPath(webhookId)}/recover`, {
      since: '2001-01-01T00:00:00Z',
    })
    expect(statuses.every((status) => status === 202 || status === 429)).toBe(true)
    expect(statuses).toContain(202)
    const log = await settledLog(({ status }) => status === 'delivered')
    expect(log.map(triggersOf)).toEqual(Array(200).fill(['schedule', 'schedule', 'recover']))
    expect((await receiver.count()).requests).toBe(200)
  })

  test(`a recovery continues over ${KILLS} kills, and records each delivery once`, {
    timeout: 420_000,
  }, async () => {
    const events = RECOVERED
    await serve('10ms')
    await failing(events, 2)
    // It would take 10 s for each kill, so that some is left when the last node is killed.
    await answer({ kind: 'slow', delayMs: 1_000 * nodes.count })
    const api = new Api(next)
    const token = workspace.key
    const asked = await api.post<Recovery>(`${workspace.webhookPath(webhookId)}/recover`, {
      token,
      body: { since: '2001-01-01T00:00:00Z' },
    })
    expect(asked).toMatchObject({ status: 'running', total: events })
    for (let kill = 0; kill < KILLS; kill++) {
      const before = (await receiver.count()).requests
      await eventually(async () => (await receiver.count()).requests > before + 20 || null, {
        ...PATIENCE,
        everyMs: 20,
        what: `progress before kill ${kill + 1}`,
      })
      await nodes.kill(kill)
      await nodes.startAgain(kill)
    }
    await receiver.behave(HOOK, { kind: 'prompt' })
    const progress = workspace.recoveryPath(webhookId, asked.id)
    const ended = await eventually(
      async () => {
        const recovery = await api.get<Recovery>(progress, { token })
        return recovery.status === 'running' ? null : recovery
      },
      { ...PATIENCE, what: 'end of the recovery' },
    )
    expect(ended).toMatchObject({ status: 'done', total: events, done: events, delivered: events, failed: 0 })
    const log = await workspace.deliveries(webhookId)
    expect(log.map(triggersOf)).toEqual(Array(events).fill(['schedule', 'schedule', 'recover']))
    const received = (await receiver.requests()).map(({ eventId }) => eventId)
    expect(new Set(received).size).toBe(events)
  })
})
