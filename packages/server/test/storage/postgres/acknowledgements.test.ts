import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Consumer } from '../../../src/storage/rows.ts'
import { TwoNodes } from './twoNodes.ts'

let store: TwoNodes
let workspaceId: number
beforeAll(async () => {
  store = await TwoNodes.open()
  const workspace = { dialect: 'content', publicId: 'ws_1', slug: 'acme', name: 'Acme', now: 1 }
  workspaceId = (await store.nodes[0].createWorkspace(workspace))!.id
})
afterAll(() => store.close())

async function newConsumers(prefix: string, count: number): Promise<readonly Consumer[]> {
  const made: Consumer[] = []
  for (let n = 0; n < count; n++) {
    const params = {
      workspaceId,
      name: `${prefix}-${n}`,
      eventTypes: null,
      start: [0, 0],
      max: 1_000,
      now: 1,
    }
    const created = await store.nodes[0].createConsumer(params)
    if (created.outcome === 'created') made.push(created.consumer)
  }
  return made
}

const ackOf = ({ id: consumerId, generation }: Consumer, place: number) => ({
  workspaceId,
  consumerId,
  generation,
  position: [place, 1],
  lost: 0,
  now: 2,
})

test('acknowledgements of many consumers share few commits', async () => {
  const [node] = store.nodes
  const consumers = await newConsumers('many', 40)
  const commits = () =>
    store.values('SELECT count(DISTINCT xmin::text)::int FROM consumers WHERE acknowledged_at = 2')
  await Promise.all(consumers.map((one) => node.acknowledge(ackOf(one, 5))))
  expect((await commits())[0]).toBeLessThanOrEqual(4)
})

test('one whose consumer another transaction has locked waits, and delays no other', async () => {
  const [node] = store.nodes
  const [locked, free] = await newConsumers('locked', 2)
  const statement = `SELECT 1 FROM consumers WHERE id = ${locked!.id} FOR UPDATE`
  const waiting = await store.holding(statement, async () => {
    let isDone = false
    const late = node.acknowledge(ackOf(locked!, 5)).finally(() => {
      isDone = true
    })
    expect(await node.acknowledge(ackOf(free!, 5))).toMatchObject({ moved: true })
    expect(isDone).toBe(false)
    return { late }
  })
  expect(await waiting.late).toMatchObject({ moved: true })
})

test('those of two nodes for the same consumers leave each at its furthest', async () => {
  const consumers = await newConsumers('both', 5)
  const places = Array.from({ length: 20 }, (_, at) => at + 1)
  await Promise.all(
    places.flatMap((place) =>
      consumers.map((one, at) => store.nodes[(at + place) % 2]!.acknowledge(ackOf(one, place))),
    ),
  )
  for (const { name } of consumers) {
    const { position } = (await store.nodes[0].getConsumer({ workspaceId, name }))!
    expect(position).toEqual([20, 1])
  }
})
