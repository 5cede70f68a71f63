import { describe, expect, test } from 'vitest'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { AttemptToRecord, EventToStore, LeasedRef } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS, type World } from './world.ts'

const FIRST = Uint8Array.of(1)
const SECOND = Uint8Array.of(2)
const THIRD = Uint8Array.of(3)

interface Sending {
  readonly w: World
  readonly workspace: Workspace
  readonly webhook: Webhook
  readonly event: EventToStore
  readonly ref: LeasedRef
  /** Records the next attempt, made now with the given version or the webhook's own. */
  readonly attempt: (as?: 'ok' | 'fails', version?: number | null) => Promise<void>
  readonly sent: () => ReturnType<World['storage']['getSentRequests']>
  /** The secrets of each attempt. */
  readonly secrets: () => Promise<number[][]>
  readonly rotate: (sealedSecret: Uint8Array, overlapMs: number) => Promise<void>
}

export function sentRequestSuite({ world }: Subject): void {
  /** An undelivered delivery to a webhook that has the first secret. */
  async function start(): Promise<Sending> {
    const w = world()
    const workspace = await w.workspace()
    const webhook = await w.webhook(workspace, { url: 'https://one.example.com', sealedSecret: FIRST })
    const nodeId = await w.node()
    const event = await w.event(workspace, { broughtId: 'evt_a', body: '{"n":1}' })
    const [ref] = (await w.publish(nodeId, [event])).leased
    let number = 0
    const params = { workspaceId: workspace.id, deliveryId: ref!.deliveryId }
    const sent = () => w.storage.getSentRequests(params)
    return {
      w,
      workspace,
      webhook,
      event,
      ref: ref!,
      sent,
      async attempt(as = 'fails', version) {
        const webhookVersion = version === undefined ? (await w.reread(webhook)).version : version
        const attempt = { number: ++number, webhookVersion, startedAt: w.now }
        const result: AttemptToRecord =
          as === 'ok' ? w.success(ref!, attempt) : w.failure(ref!, { attempt, next: dueAt(w.now) })
        expect((await w.record(nodeId, [result])).lost).toEqual([])
        await w.claim(nodeId)
      },
      secrets: async () => (await sent()).map(({ secrets }) => secrets.map((sealed) => sealed[0]!)),
      async rotate(sealedSecret, overlapMs) {
        const of = { workspaceId: workspace.id, webhookId: webhook.id, ifVersions: null }
        await w.storage.rotateSecret({ ...of, sealedSecret, overlapMs, now: w.now })
      },
    }
  }

  const dueAt = (nextAttemptAt: number) => ({ status: 'pending' as const, nextAttemptAt })

  describe('the data that attempts were made from', () => {
    test('of a flood of rotations within one overlap, an attempt shows the newest 32', async () => {
      const { attempt, rotate, secrets } = await start()
      for (let secret = 2; secret <= 40; secret++) await rotate(Uint8Array.of(secret), 5000)
      await attempt()
      expect(await secrets()).toEqual([Array.from({ length: 32 }, (_, i) => 40 - i)])
    })

    test('a first attempt that succeeded has its URL, secret and event', async () => {
      const { w, event, attempt, sent } = await start()
      await attempt('ok')
      const { id, broughtId, type, body, createdAt } = event
      const [request, ...others] = await sent()
      expect(others).toEqual([])
      expect(request).toEqual({
        number: 1,
        startedAt: w.now,
        profileVersion: 0,
        url: 'https://one.example.com',
        secrets: [FIRST],
        event: { id, broughtId, type, body, createdAt },
      })
    })

    test('each attempt has the URL of the version it was made with, oldest first', async () => {
      const { w, webhook, attempt, sent } = await start()
      const { version: first } = webhook
      await attempt()
      await w.update(webhook, { url: 'https://two.example.com' })
      // One that a sender had started before it learned of the change.
      await attempt('fails', first)
      await attempt()
      await w.update(webhook, { description: 'not a change of the URL' })
      await attempt()
      await w.update(webhook, { url: 'https://one.example.com' })
      await attempt('ok')
      expect((await sent()).map(({ number, url }) => `${number} ${url}`)).toEqual([
        '1 https://one.example.com',
        '2 https://one.example.com',
        '3 https://two.example.com',
        '4 https://two.example.com',
        '5 https://one.example.com',
      ])
    })

    test('while replaced secrets overlap, all of them sign, newest first', async () => {
      const { w, webhook, attempt, rotate, secrets } = await start()
      const { version: first } = webhook
      await attempt()
      await rotate(SECOND, HOUR_MS)
      await attempt('fails', first)
      await attempt()
      w.now += HOUR_MS - 1
      await rotate(THIRD, HOUR_MS)
      await attempt()
      w.now += 1
      await attempt()
      w.now += HOUR_MS
      await attempt()
      expect(await secrets()).toEqual([[1], [1], [2, 1], [3, 2, 1], [3, 2], [3]])
    })

    test('without an overlap one secret signs, and signatures of the replaced one are still known', async () => {
      const { webhook, attempt, rotate, secrets } = await start()
      await attempt()
      await rotate(SECOND, 0)
      await attempt()
      await attempt('fails', webhook.version)
      await rotate(THIRD, 0)
      await attempt('ok')
      expect(await secrets()).toEqual([[1], [2], [1], [3]])
    })

    test('attempts without a known version are left out', async () => {
      const { attempt, sent } = await start()
      await attempt('fails', null)
      await attempt()
      await attempt('ok', null)
      expect((await sent()).map(({ number }) => number)).toEqual([2])
    })

    test('nothing was sent before the first attempt', async () => {
      const { sent } = await start()
      expect(await sent()).toEqual([])
    })

    test('another workspace, an unknown delivery and a deleted webhook return nothing', async () => {
      const { w, workspace, webhook, ref, attempt, sent } = await start()
      await attempt('ok')
      const { deliveryId } = ref
      const elsewhere = { workspaceId: (await w.workspace()).id, deliveryId }
      expect(await w.storage.getSentRequests(elsewhere)).toEqual([])
      const unknown = { workspaceId: workspace.id, deliveryId: 12_345 }
      expect(await w.storage.getSentRequests(unknown)).toEqual([])
      await w.remove(webhook)
      expect(await sent()).toEqual([])
    })
  })
}
