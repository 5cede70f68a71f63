import type { ServerResponse } from 'node:http'
import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventStream } from '../../src/http/shared/live/eventStream.ts'
import { ListPoller } from '../../src/http/shared/live/listPoller.ts'
import {
  type PollResult,
  ShownDeliveries,
  WATCHED_DELIVERIES,
} from '../../src/http/shared/live/shownDeliveries.ts'
import type { Attempt, DeliveryRecord } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'

function delivery(id: number, changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id,
    webhookId: 1,
    webhookPublicId: 'wh',
    eventId: id,
    broughtEventId: null,
    eventType: 'a',
    status: 'pending',
    cancelReason: null,
    attempts: [],
    nextAttemptAt: 1,
    createdAt: id,
    finishedAt: null,
    ...changes,
  }
}

const ATTEMPT: Attempt = {
  number: 1,
  trigger: 'redeliver',
  webhookVersion: 1,
  startedAt: 1,
  durationMs: 1,
  statusCode: 503,
  errorCode: 'http_status',
  errorMessage: null,
  cause: 'receiver',
  contentType: null,
  responseBody: null,
}

/** The result of reading a list of these. */
function lookAt(list: readonly DeliveryRecord[]): PollResult {
  const newest = [...list].sort((a, b) => b.id - a.id)
  const deliveries = newest.slice(0, WATCHED_DELIVERIES + 1)
  return { deliveries, next: newest.length > deliveries.length ? deliveries.at(-1)! : null }
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
const idsOf = (found: { deliveries: readonly DeliveryRecord[] } | null) =>
  found?.deliveries.map(({ id }) => id) ?? null

/** Changes between two reads. */
const step = fc.record({
  arrive: fc.nat(60),
  /** How far back those that end are. */
  ends: fc.array(fc.nat(120), { maxLength: 10 }),
  skipped: fc.boolean(),
})

/** A list, and a viewer who keeps everything shown. */
class Watching {
  readonly #shown = new ShownDeliveries()
  readonly #list: DeliveryRecord[] = []
  readonly #known = new Map<number, DeliveryRecord>()
  #lengthSeen = 0

  happen(arrive: number, ends: readonly number[]): void {
    for (let i = 0; i < arrive; i++) this.#list.push(delivery(this.#list.length + 1))
    for (const back of ends) {
      const at = this.#list.length - 1 - back
      const ended = { status: 'delivered', finishedAt: 9, nextAttemptAt: null } as const
      if (at >= 0) this.#list[at] = delivery(at + 1, ended)
    }
  }

  look(): void {
    const changes = this.#shown.changesIn(lookAt(this.#list))
    for (const one of changes?.deliveries ?? []) {
      expect(this.#known.get(one.id)).not.toEqual(one)
      this.#known.set(one.id, one)
    }
    for (const one of this.#list.slice(-WATCHED_DELIVERIES)) expect(this.#known.get(one.id)).toEqual(one)
    const isMore = this.#list.length - this.#lengthSeen > WATCHED_DELIVERIES
    if (changes !== null) expect(changes.more).toBe(isMore)
    this.#lengthSeen = this.#list.length
  }
}

describe('updates sent to a viewer', () => {
  test('follow the list: after each read the viewer has its newest rows, without repeated updates', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const watching = new Watching()
        watching.happen(3, [])
        watching.look()
        for (const { arrive, ends, skipped } of steps) {
          watching.happen(arrive, ends)
          if (!skipped) watching.look()
        }
      }),
    )
  })

  test('include an empty list, once', () => {
    const shown = new ShownDeliveries()
    expect(shown.changesIn(lookAt([]))).toEqual({ deliveries: [], more: false })
    expect(shown.changesIn(lookAt([]))).toBeNull()
  })

  test('include a retried delivery, also where its oldest attempts are omitted', () => {
    const shown = new ShownDeliveries()
    const triedTo = (last: number) =>
      delivery(1, { attempts: [last - 1, last].map((number) => ({ ...ATTEMPT, number })) })
    const look = (last: number) => idsOf(shown.changesIn(lookAt([triedTo(last)])))
    expect([look(101), look(101), look(102)]).toEqual([[1], null, [1]])
  })

  test('say that there are more where a search stopped before known rows', () => {
    const shown = new ShownDeliveries()
    const old = delivery(1)
    shown.changesIn({ deliveries: [old], next: null })
    const found = { deliveries: [delivery(9)], next: { createdAt: 5, id: 5 } }
    expect(shown.changesIn(found)).toMatchObject({ more: true })
    const onwards = { deliveries: [delivery(10), delivery(9)], next: { createdAt: 5, id: 5 } }
    expect(shown.changesIn(onwards)).toMatchObject({ deliveries: [{ id: 10 }], more: false })
  })
})

const LOG = { info() {}, warn() {}, error() {} }
/** Lets resolved promises run. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the list poller', () => {
  test('are shared by all viewers of the same list, at most one a second, and only while there is a viewer', async () => {
    const clock = new ManualClock()
    const poller = new ListPoller<PollResult>(clock, LOG)
    let read = 0
    const list = async () => {
      read += 1
      return lookAt(numbersTo(read).map((id) => delivery(id)))
    }
    const seen: (number[] | null)[][] = [[], []]
    const stops = seen.map((of) => poller.watch('list', list, (result) => of.push(idsOf(result))))
    for (let i = 0; i < 40; i++) {
      clock.advance(100)
      await turn()
    }
    expect(read).toBe(4)
    expect(seen[0]).toEqual([[1], [2, 1], [3, 2, 1], [4, 3, 2, 1]])
    expect(seen[1]).toEqual(seen[0])
    const late: (number[] | null)[] = []
    const stopLate = poller.watch('list', list, (result) => late.push(idsOf(result)))
    expect([read, late]).toEqual([4, [[4, 3, 2, 1]]])
    for (const stop of [...stops, stopLate]) stop()
    expect(clock.pending).toBe(0)
  })

  test('of different lists take turns, and together rest as long as they are slow', async () => {
    const clock = new ManualClock()
    const poller = new ListPoller<PollResult>(clock, LOG)
    const order: string[] = []
    const slow = (name: string) => async () => {
      order.push(name)
      await new Promise<void>((resolve) => clock.after(1000, resolve))
      return lookAt([])
    }
    for (const name of ['a', 'b', 'c']) poller.watch(name, slow(name), () => {})
    // Each takes a second, and a little for the turns; then all rest for three.
    for (let i = 0; i < 235; i++) {
      clock.advance(100)
      await turn()
    }
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  })

  test('continue after a failed one', async () => {
    const clock = new ManualClock()
    const poller = new ListPoller<PollResult>(clock, LOG)
    let read = 0
    const seen: unknown[] = []
    const failing = async () => {
      read += 1
      if (read < 3) throw new Error('the store is away')
      return lookAt([])
    }
    poller.watch('list', failing, (result) => seen.push(result))
    for (let i = 0; i < 30; i++) {
      clock.advance(100)
      await turn()
    }
    expect([read, seen.length]).toEqual([3, 1])
  })
})

describe('a stream of events', () => {
  /** @param response target of the body */
  function opened(response: Writable) {
    const clock = new ManualClock()
    const stream = new EventStream(response as ServerResponse, clock)
    stream.body.pipe(response)
    return { clock, stream }
  }

  /** Second after second. */
  async function pass(clock: ManualClock, stream: EventStream, seconds: number) {
    for (let i = 0; i < seconds; i++) {
      clock.advance(1000)
      stream.tick()
      await turn()
    }
  }

  test('is kept alive, and ends after ten minutes', async () => {
    const response = new PassThrough()
    let text = ''
    response.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    const { clock, stream } = opened(response)
    await turn()
    stream.send({ event: 'deliveries', data: '{}' })
    await pass(clock, stream, 46)
    expect(text).toBe(`retry: 3000\n\nevent: deliveries\ndata: {}\n\n${': keep-alive\n\n'.repeat(3)}`)
    await pass(clock, stream, 553)
    expect(stream.body.closed).toBe(false)
    await pass(clock, stream, 2)
    expect([stream.body.closed, response.writableFinished]).toEqual([true, true])
    stream.end()
    stream.tick()
  })

  test('sends nothing more to a client that does not read, and finally disconnects it', async () => {
    // Accepts its first part, and never finishes it.
    const response = new Writable({ highWaterMark: 1, write() {} })
    const { clock, stream } = opened(response)
    await turn()
    expect(stream.isReady).toBe(false)
    await pass(clock, stream, 29)
    expect([stream.body.closed, stream.body.readableLength]).toEqual([false, 0])
    await pass(clock, stream, 2)
    expect(stream.body.destroyed).toBe(true)
  })
})
