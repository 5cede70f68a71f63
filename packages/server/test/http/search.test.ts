import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publish, thanks, withWebhook } from './content.ts'
import { contentEvent } from './events.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

interface Ws {
  readonly slug: string
  readonly key: string
}

const get = (ws: Ws, path: string, query: Record<string, string> = {}, key = ws.key) =>
  service.call({ method: 'GET', url: `/v1/workspaces/${ws.slug}/${path}?${new URLSearchParams(query)}`, key })

const GENERATION = { id: 'gen_1', kind: 'article', title: 'A title', content_id: 'cnt_1' }

const approved = (id: string, generation: string, title: string) => {
  const event = contentEvent({ id })
  return { ...event, data: { ...event.data, generation: { ...GENERATION, id: generation, title } } }
}

const ids = (answer: { json: { data: { id: string; event_id?: string }[] } }) =>
  answer.json.data.map(({ id, event_id }) => event_id ?? id)

describe('a search', () => {
  it('finds deliveries and events by an entity, by words, by several types, and by ids', async () => {
    const { ws } = await withWebhook(service, service.receiver.url)
    await publish(service, ws, approved('evt_chain', 'gen_chain', 'Chain care for winter'))
    await publish(service, ws, approved('evt_wheel', 'gen_wheel', 'True a wheel in winter'))
    await service.recorded(2)
    await service.settled()
    for (const path of ['deliveries', 'events']) {
      expect(ids(await get(ws, path, { q: 'gen_chain' }))).toEqual(['evt_chain'])
      expect(ids(await get(ws, path, { q: 'WINTER' }))).toEqual(['evt_wheel', 'evt_chain'])
      expect(ids(await get(ws, path, { q: 'winter wheel' }))).toEqual(['evt_wheel'])
      expect(ids(await get(ws, path, { q: 'evt_chain' }))).toEqual(['evt_chain'])
      expect(ids(await get(ws, path, { q: 'winter spring' }))).toEqual([])
      const types = { [path === 'events' ? 'type' : 'event_type']: 'version.approved,plan.ready' }
      expect(ids(await get(ws, path, { q: 'winter', ...types }))).toEqual(['evt_wheel', 'evt_chain'])
    }
    const [delivery] = (await get(ws, 'deliveries', { q: 'gen_wheel' })).json.data
    expect(ids(await get(ws, 'deliveries', { q: delivery.id }))).toEqual(['evt_wheel'])
    expect(ids(await get(ws, 'events', { q: delivery.id }))).toEqual(['evt_wheel'])
    expect((await get(ws, 'deliveries', { q: delivery.id, status: 'failed' })).json.data).toEqual([])
  })

  it('finds events by ids, name and title of their data where the profile names no members', async () => {
    const ws = await service.workspace('standard')
    const data = { order_id: 'ord_4711', customer: { id: 'cus_7' }, title: 'Two wheels', note: 'unread' }
    expect((await publish(service, ws, { id: 'evt_order', type: 'order.paid', data })).status).toBe(202)
    await service.settled()
    for (const q of ['ord_4711', 'cus_7', 'wheels'])
      expect(ids(await get(ws, 'events', { q }))).toEqual(['evt_order'])
    expect(ids(await get(ws, 'events', { q: 'unread' }))).toEqual([])
  })

  it('shows events that no webhook received, with the results of the others', async () => {
    const { ws } = await withWebhook(service, service.receiver.url)
    await publish(service, ws, contentEvent({ id: 'evt_wanted' }))
    const { status } = await publish(service, ws, {
      id: 'evt_unwanted',
      type: 'schedule.cancel_required',
      data: { subject_id: 'sch_1' },
    })
    expect(status).toBe(202)
    await service.recorded(1)
    await service.settled()
    const { json } = await get(ws, 'events', { order: 'newest' })
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(['evt_unwanted', 'evt_wanted'])
    const [none, one] = json.summaries
    expect([none.id, none.deliveries.total, one.deliveries.total, one.deliveries.delivered]).toEqual([
      'evt_unwanted',
      0,
      1,
      1,
    ])
    expect((await get(ws, 'events')).json.summaries).toBeNull()
  })

  it('without the required scope finds nothing, and names the scope', async () => {
    const ws = await service.workspace('content')
    await publish(service, ws, approved('evt_hidden', 'gen_hidden', 'Hidden'))
    await service.settled()
    const { key } = await service.key(ws.id, { scopes: ['webhooks'] })
    for (const path of ['deliveries', 'events']) {
      const { status, json } = await get(ws, path, { q: 'gen_hidden' }, key)
      expect([status, json.code]).toEqual([403, 'scope_missing'])
      expect(json.detail).toContain('generations:read')
    }
    expect(ids(await get(ws, 'events', { q: 'evt_hidden' }, key))).toEqual(['evt_hidden'])
  })

  it('of another workspace finds nothing', async () => {
    const [ws, other] = [await service.workspace('content'), await service.workspace('content')]
    await publish(service, ws, approved('evt_mine', 'gen_mine', 'Mine'))
    await service.settled()
    for (const q of ['gen_mine', 'evt_mine']) expect(ids(await get(other, 'events', { q }))).toEqual([])
  })

  it('accepts a cursor only with its own filters', async () => {
    const ws = await service.workspace('content')
    for (const id of ['evt_p1', 'evt_p2', 'evt_p3'])
      await publish(service, ws, approved(id, 'gen_paged', 'Paged'))
    await service.settled()
    const first = await get(ws, 'events', { q: 'paged', limit: '2' })
    expect([ids(first), first.json.has_more]).toEqual([['evt_p3', 'evt_p2'], true])
    const after = first.json.next_cursor
    const rest = await get(ws, 'events', { q: 'paged', after })
    expect([ids(rest), rest.json.has_more, rest.json.indexed_until]).toEqual([['evt_p1'], false, null])
    for (const query of [{ q: 'gen_paged' }, { order: 'newest' }, {}] as Record<string, string>[])
      expect((await get(ws, 'events', { ...query, after })).status).toBe(422)
  })

  it('rejects terms whose form cannot match anything', async () => {
    const ws = await service.workspace('content')
    const pointers = async (path: string, query: Record<string, string>) =>
      (await get(ws, path, query)).json.errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(await pointers('events', { q: '?!' })).toEqual(['/q'])
    expect(await pointers('deliveries', { q: '--' })).toEqual(['/q'])
    expect(await pointers('events', { q: 'a', order: 'oldest' })).toEqual(['/order'])
    expect(await pointers('events', { type: 'version.approved,nope' })).toEqual(['/type'])
    expect(await pointers('deliveries', { event_type: 'nope,version.approved' })).toEqual(['/event_type'])
  })
})
