import { expect, test } from 'vitest'
import type { Workspace } from '../../../src/storage/rows.ts'
import type { EventPosition } from '../../../src/storage/storage.ts'
import { World } from '../conformance/world.ts'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

const poll = ({ id: workspaceId }: Workspace, after: EventPosition | null = null) =>
  store.nodes[1].listEvents({ workspaceId, eventTypes: null, after, limit: 10 })

/** The slow part of a publish. */
const insertion = ({ id }: Workspace, eventId: number) => `
  INSERT INTO events (id, workspace_id, type, body, created_at, xact)
  SELECT ${eventId}, ${id}, 'slow', '', ${w.now}, pg_current_xact_id()::text::bigint + xact_offset FROM store`

test('no reader passes an event that a slower transaction stores after a faster one', async () => {
  const workspace = await w.workspace()
  const nodeId = await w.node()
  const [first, slow, fast] = await w.events(3, workspace)
  await w.publish(nodeId, [first!])
  await w.settled()
  const before = await poll(workspace)
  expect(before.events.map(({ id }) => id)).toEqual([first!.id])
  await store.holding(insertion(workspace, slow!.id), async () => {
    await w.publish(nodeId, [fast!])
    expect(await poll(workspace, before.next)).toEqual({ events: [], next: before.next, more: false })
  })
  await w.settled()
  const after = await poll(workspace, before.next)
  expect(after.events.map(({ id }) => id)).toEqual([slow!.id, fast!.id])
})

test('samples and single events are there at once', async () => {
  const workspace = await w.workspace()
  const [event] = await w.events(1, workspace)
  await store.holding(`SELECT pg_current_xact_id()`, async () => {
    await w.publish(await w.node(), [event!])
    const { id: workspaceId } = workspace
    const latest = await store.nodes[1].latestEvents({ workspaceId, type: event!.type })
    expect(latest.map(({ id }) => id)).toEqual([event!.id])
    const found = await store.nodes[1].getEvent({ workspaceId, broughtId: null, rowId: event!.id })
    expect(found).toMatchObject({ id: event!.id, position: [expect.any(Number), event!.id] })
  })
})

test('the newest events of a type are found when each node has published some of them within a second', async () => {
  const workspace = await w.workspace()
  const nodeIds = [await w.node(), (await store.nodes[1].registerNode({ leaseMs: 60_000 })).nodeId]
  const events = []
  for (let i = 0; i < 10; i++) {
    w.now += 1
    const event = await w.event(workspace)
    await new World(store.nodes[i % 2]!).publish(nodeIds[i % 2]!, [event])
    events.push(event.id)
  }
  const latest = await w.storage.latestEvents({ workspaceId: workspace.id, type: 'thing.happened' })
  expect(latest.map(({ id }) => id)).toEqual(events.slice(-3).reverse())
})
