import { describe, expect, test } from 'vitest'
import { attentionRank, type Webhook } from '../../../src/storage/rows.ts'
import type { WebhookFilter } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { STRICT, type World } from './world.ts'

/** One webhook in each state, oldest first. */
async function each(w: World) {
  const workspace = await w.workspace()
  const key = (publicId: string) => ({ createdBy: { type: 'key' as const, publicId } })
  const failing = await w.webhook(workspace, { url: 'https://a.example.com/Token-1', ...key('key_a') })
  const nodeId = await w.node()
  const [delivery] = await w.leased(nodeId, workspace)
  await w.record(nodeId, [w.failure(delivery!)], STRICT)
  const off = await w.webhook(workspace, { url: 'http://b.example.com:81/x', eventTypes: ['order.paid'] })
  await w.update(off, { enabled: false })
  const paused = await w.webhook(workspace, { description: 'Books 100 %_"' })
  await w.update(paused, { paused: true })
  const on = await w.webhook(workspace, { description: 'Österreich', ...key('key_b') })
  return { workspace, failing, off, paused, on }
}

export function webhookFilterSuite({ world }: Subject): void {
  describe('a filtered list of webhooks', () => {
    async function found(
      w: World,
      all: Awaited<ReturnType<typeof each>>,
      filter: WebhookFilter,
    ): Promise<string[]> {
      const { workspace, ...webhooks } = all
      const range = { workspaceId: workspace.id, limit: 10, before: null }
      const listed = await w.storage.listWebhooks({ ...range, filter })
      const named = Object.entries(webhooks)
      const names = listed.map(({ id }) => named.find(([, webhook]) => webhook.id === id)![0])
      const sorted = await w.storage.listWebhooks({ ...range, filter, failingFirst: { rank: -1 } })
      expect(sorted.map(({ id }) => id).toSorted()).toEqual(listed.map(({ id }) => id).toSorted())
      return names
    }

    test('finds by any part of the description, the types and the URL, and by the whole id', async () => {
      const w = world()
      const all = await each(w)
      await each(w)
      const by = (text: string) => found(w, all, { text })
      expect(await by('books 100 %_"')).toEqual(['paused'])
      expect(await by('Order.PAID')).toEqual(['off'])
      expect(await by('sterreich')).toEqual(['on'])
      expect(await by('TOKEN-1')).toEqual(['failing'])
      expect(await by(all.on.publicId)).toEqual(['on'])
      expect(await by(all.on.publicId.slice(0, -1))).toEqual([])
      expect(await by('%')).toEqual(['paused'])
      expect(await by('receiver.example.com')).toEqual(['on', 'paused'])
    })

    test('finds by the path of a URL only where it is shown', async () => {
      const w = world()
      const all = await each(w)
      const by = (text: string, publicId: string) =>
        found(w, all, { text, wholeUrlsOf: { type: 'key', publicId } })
      expect(await by('token', 'key_a')).toEqual(['failing'])
      expect(await by('token', 'key_b')).toEqual([])
      expect(await by('https://a.example.com', 'key_b')).toEqual(['failing'])
      expect(await by('a.example.com/', 'key_b')).toEqual([])
      expect(await by('http://b.example.com:81', 'key_b')).toEqual(['off'])
      expect(await by('com:81/', 'key_b')).toEqual([])
    })

    test('finds by the state, to which its workspace belongs', async () => {
      const w = world()
      const all = await each(w)
      const by = (status: WebhookFilter['status']) => found(w, all, { status })
      expect(await by('failing')).toEqual(['failing'])
      expect(await by('on')).toEqual(['on', 'failing'])
      expect(await by('paused')).toEqual(['paused'])
      expect(await by('off')).toEqual(['off'])
      const { id: workspaceId } = all.workspace
      await w.storage.suspendWorkspace({ workspaceId, suspended: true, now: w.now })
      expect(await by('failing')).toEqual([])
      expect(await by('on')).toEqual([])
      expect(await by('paused')).toEqual(['on', 'paused', 'failing'])
    })

    test('lists those first that need attention, page by page', async () => {
      const w = world()
      const { workspace, failing, off, paused, on } = await each(w)
      const newest = await w.webhook(workspace)
      const listed: Webhook[] = []
      for (let page: readonly Webhook[] = []; listed.length === 0 || page.length > 0; ) {
        const last = listed.at(-1)
        page = await w.storage.listWebhooks({
          workspaceId: workspace.id,
          limit: 2,
          before: last?.id ?? null,
          failingFirst: { rank: last === undefined ? -1 : attentionRank(last) },
        })
        listed.push(...page)
      }
      const expected = [failing, off, paused, newest, on]
      expect(listed.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    })
  })
}
