import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Workspace } from '../../../src/storage/rows.ts'
import type { EventPosition, EventToStore, FeedEvent } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, type World } from './world.ts'

/** More than one call visits. */
const MANY = 11_000

/** Reads a feed from where it stopped the last time. */
class Reader {
  readonly seen: FeedEvent[] = []
  #after: EventPosition | null = null
  readonly #w: World
  readonly #workspace: Workspace
  readonly #type: string | null
  readonly #limit: number

  constructor(w: World, workspace: Workspace, type: string | null = null, limit = 100) {
    this.#w = w
    this.#workspace = workspace
    this.#type = type
    this.#limit = limit
  }

  async poll() {
    const filter = { workspaceId: this.#workspace.id, eventTypes: this.#type === null ? null : [this.#type] }
    const page = await this.#w.storage.listEvents({ ...filter, after: this.#after, limit: this.#limit })
    expect(page.events.length).toBeLessThanOrEqual(this.#limit)
    this.seen.push(...page.events)
    this.#after = page.next
    return page
  }

  /** Polls until it has seen everything stored so far. @returns the ids of all events that it ever saw */
  async catchUp(): Promise<number[]> {
    await this.#w.settled()
    while ((await this.poll()).more) {}
    return this.seen.map(({ id }) => id)
  }
}

const ids = (events: readonly EventToStore[]) => events.map(({ id }) => id)

export function feedSuite({ world }: Subject): void {
  describe('the feed of events', () => {
    test('events have the order in which they were stored, each with everything published', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const [first, second, third] = await w.events(3, workspace)
      await w.publish(nodeId, [{ ...second!, broughtId: 'evt_brought' }, third!])
      await w.publish(nodeId, [first!])
      const reader = new Reader(w, workspace)
      expect(await reader.catchUp()).toEqual(ids([second!, third!, first!]))
      const { type, body, createdAt } = second!
      expect(reader.seen[0]).toEqual({
        id: second!.id,
        broughtId: 'evt_brought',
        type,
        body,
        createdAt,
        position: expect.any(Array),
      })
    })

    test('a reader that continues gets new events, or else nothing and the same position again', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const reader = new Reader(w, workspace, null, 2)
      expect(await reader.poll()).toEqual({ events: [], next: null, more: false })
      const events = await w.events(5, workspace)
      await w.publish(nodeId, events)
      await w.settled()
      expect(await reader.poll()).toMatchObject({ events: [{}, {}], more: true })
      expect(await reader.poll()).toMatchObject({ events: [{}, {}], more: true })
      const last = await reader.poll()
      expect(last).toMatchObject({ events: [{ position: last.next }], more: false })
      expect(await reader.poll()).toEqual({ events: [], next: last.next, more: false })
      const [late] = await w.events(1, workspace)
      await w.publish(nodeId, [late!])
      expect(await reader.catchUp()).toEqual(ids([...events, late!]))
    })

    test('an exactly full last page is known to be the last', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.publish(await w.node(), await w.events(2, workspace))
      await w.settled()
      expect(await new Reader(w, workspace, null, 2).poll()).toMatchObject({ events: [{}, {}], more: false })
      expect(await new Reader(w, workspace, 'thing.happened', 2).poll()).toMatchObject({ more: false })
    })

    test('each workspace has its own', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const nodeId = await w.node()
      const [a, b, c] = [await w.event(mine), await w.event(other), await w.event(mine)]
      await w.publish(nodeId, [a, b, c])
      expect(await new Reader(w, mine).catchUp()).toEqual(ids([a, c]))
      expect(await new Reader(w, other).catchUp()).toEqual(ids([b]))
    })

    test('a reader of one type gets only those, and does not read the others again', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const wanted = await w.event(workspace, { type: 'wanted' })
      await w.publish(nodeId, [...(await w.events(3, workspace)), wanted, ...(await w.events(3, workspace))])
      await w.settled()
      const reader = new Reader(w, workspace, 'wanted')
      const page = await reader.poll()
      expect(page).toMatchObject({ events: [{ id: wanted.id }], more: false })
      const everything = new Reader(w, workspace)
      await everything.catchUp()
      expect(page.next).toEqual(everything.seen.at(-1)!.position)
    })

    test('one event of a type is found among very many others', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      for (let i = 0; i < MANY / 1000; i++) await w.waiting(nodeId, workspace, 1000)
      const rare = await w.event(workspace, { type: 'rare' })
      await w.publish(nodeId, [rare])
      expect(await new Reader(w, workspace, 'rare').catchUp()).toEqual([rare.id])
    }, 60_000)

    test('a test is not in the feed, but is found by its id, without a position', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const event = await w.event(workspace, { type: 'webhook.test' })
      await w.storage.sendTest({ event, webhookId: webhook.id, limit: null, now: w.now })
      expect(await new Reader(w, workspace).catchUp()).toEqual([])
      const found = await w.storage.getEvent({
        workspaceId: workspace.id,
        broughtId: null,
        rowId: event.id,
      })
      expect(found).toMatchObject({ id: event.id, type: 'webhook.test', position: null })
    })

    test('a repeated publish is in the feed once', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const brought = { broughtId: 'evt_a', fingerprint: Uint8Array.of(1) }
      const [first, repeat] = await w.events(2, workspace, brought)
      const others = await w.events(2, workspace)
      await w.publish(nodeId, [first!])
      await w.publish(nodeId, [others[0]!, repeat!, others[1]!])
      expect(await new Reader(w, workspace).catchUp()).toEqual(ids([first!, ...others]))
    })

    test('a rejected batch leaves no trace in the feed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const brought = (print: number) => ({ broughtId: 'evt_a', fingerprint: Uint8Array.of(print) })
      const [first, next] = [await w.event(workspace, brought(1)), await w.event(workspace)]
      const conflicting = [await w.event(workspace), await w.event(workspace, brought(2))]
      const batches = [[first], conflicting, [next]]
      await w.storage.publish({ nodeId, batches, room: 0, keepInStore: [], maxFanout: 1_000_000 })
      expect(await new Reader(w, workspace).catchUp()).toEqual(ids([first, next]))
    })

    test('a reader whose last event is gone continues with the next', async () => {
      const w = world()
      const workspace = await w.workspace()
      const nodeId = await w.node()
      const reader = new Reader(w, workspace)
      const old = await w.events(2, workspace)
      await w.publish(nodeId, old)
      await reader.catchUp()
      w.now += DAY_MS
      await w.expireAll(w.now)
      const [late] = await w.events(1, workspace)
      await w.publish(nodeId, [late!])
      expect(await reader.catchUp()).toEqual(ids([...old, late!]))
      expect(await new Reader(w, workspace).catchUp()).toEqual([late!.id])
    })

    test("an event is found by its publisher's id, or by its row, only in its own workspace", async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const [brought, plain] = [await w.event(mine, { broughtId: 'evt_a' }), await w.event(mine)]
      await w.publish(await w.node(), [brought, plain])
      const reader = new Reader(w, mine)
      await reader.catchUp()
      const get = (broughtId: string | null, rowId: number | null, { id: workspaceId } = mine) =>
        w.storage.getEvent({ workspaceId, broughtId, rowId })
      expect(await get('evt_a', null)).toEqual(reader.seen[0])
      expect(await get(null, plain.id)).toEqual(reader.seen[1])
      expect(await get('evt_a', plain.id)).toMatchObject({ id: brought.id })
      expect(await get('evt_b', plain.id)).toMatchObject({ id: plain.id })
      expect(await get('evt_b', null)).toBeNull()
      expect(await get(null, 1_000_000_000)).toBeNull()
      expect(await get('evt_a', plain.id, other)).toBeNull()
    })

    test('readers that poll while batches are stored in any order miss nothing and see nothing twice', async () => {
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const w = world()
          const workspace = await w.workspace()
          const nodes = [await w.node(), await w.node()]
          const readers = [new Reader(w, workspace, null, 3), new Reader(w, workspace, 'a', 2)]
          // Ids are reserved before anything is stored, so that they do not reveal the order.
          const batches = await Promise.all(
            plan.map(({ types }) => Promise.all(types.map((type) => w.event(workspace, { type })))),
          )
          const calls: Promise<unknown>[] = []
          for (const { step, batch } of inOrder(plan)) {
            calls.push(w.publish(nodes[batch % 2]!, batches[batch]!, { room: 0 }))
            if (step.settles) await Promise.all(calls)
            for (const reader of readers) for (let i = 0; i < step.polls; i++) await reader.poll()
          }
          await Promise.all(calls)
          const [everything, ofType] = [await readers[0]!.catchUp(), await readers[1]!.catchUp()]
          const stored = batches.flat()
          expect(new Set(everything)).toEqual(new Set(ids(stored)))
          expect(everything).toHaveLength(stored.length)
          const wanted = new Set(ids(stored.filter(({ type }) => type === 'a')))
          expect(ofType).toEqual(everything.filter((id) => wanted.has(id)))
        }),
        { numRuns: 60 },
      )
    }, 120_000)
  })
}

interface Step {
  readonly types: readonly string[]
  /** Its position in the storing order. */
  readonly rank: number
  /** Whether to wait for all started calls before readers poll this often. */
  readonly settles: boolean
  readonly polls: number
}

const plans = fc.array(
  fc.record<Step>({
    types: fc.array(fc.constantFrom('a', 'b'), { maxLength: 4 }),
    rank: fc.nat(100),
    settles: fc.boolean(),
    polls: fc.nat(2),
  }),
  { minLength: 1, maxLength: 8 },
)

function inOrder(plan: readonly Step[]) {
  return plan.map((step, batch) => ({ step, batch })).sort((a, b) => a.step.rank - b.step.rank)
}
