import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../../src/core/delivery.ts'
import { Dispatcher } from '../../src/engine/attempt/dispatcher.ts'
import { HmacKey } from '../../src/engine/attempt/hmacKey.ts'
import type { OnSent } from '../../src/engine/attempt/sender.ts'
import type { Target } from '../../src/engine/attempt/targets.ts'
import { Destination, type OutboundRequest } from '../../src/engine/egress/index.ts'
import { silentObserver } from '../../src/engine/log/observer.ts'
import { SendQueue } from '../../src/engine/schedule/sendQueue.ts'
import type { AttemptToRecord } from '../../src/storage/storage.ts'
import { delivery } from '../support/deliveries.ts'
import { ManualClock } from '../support/manualClock.ts'
import { headersOf } from '../support/requestHeaders.ts'
import { toyDialect } from '../support/toyDialect.ts'
import { recordedLog, settled } from './fakes.ts'

const OK: AttemptOutcome = { error: null, statusCode: 200, contentType: null, body: null, retryAfter: null }
const FAILED: AttemptOutcome = { ...OK, statusCode: 500, error: { code: 'http_status', message: 'no' } }

const target: Target = {
  version: 1,
  dialect: toyDialect,
  status: 'on',
  destination: new Destination({ webhookId: 1, workspaceId: 1, url: 'https://toys.example.com/in' }),
  keys: [{ key: new HmacKey(Buffer.alloc(32, 1)), expiresAt: null }],
}

interface Sent {
  readonly request: OutboundRequest
  readonly end: OnSent
  abandoned: boolean
}

function setUp(maxInFlight = 10) {
  const clock = new ManualClock()
  const log = recordedLog()
  const queue = new SendQueue({
    hangMs: 15_000,
    limits: { maxInFlight, maxInFlightPerWebhook: 10 },
    clock,
    hasBacklog: () => false,
  })
  /** Absent: being loaded. */
  const targets = new Map<number, Target | 'gone' | 'unsendable'>([[1, target]])
  const recorder = { backlog: 0, attempts: [] as AttemptToRecord[] }
  const sent: Sent[] = []
  const givenBack: { webhookId: number; ids: number[]; unsendable: boolean }[] = []
  const state = { maySend: true, taken: 0 }
  const sender = {
    send(request: OutboundRequest, end: OnSent) {
      const entry: Sent = { request, end, abandoned: false }
      sent.push(entry)
      return {
        abandon: () => {
          entry.abandoned = true
        },
      }
    },
  }
  const dispatcher = new Dispatcher({
    clock,
    random: () => 0.5,
    log,
    queue,
    targets: { get: (webhookId) => targets.get(webhookId) },
    recorder: {
      add: (attempt) => void recorder.attempts.push(attempt),
      numberOf: () => 3,
      get backlog() {
        return recorder.backlog
      },
    },
    observer: silentObserver,
    senderOf: () => sender,
    formatIds: { event: (_, { eventId }) => `e${eventId}`, delivery: (_, { id }) => `d${id}` },
    maySend: () => state.maySend,
    onTaken: () => {
      state.taken++
    },
    giveBack: ({ webhookId }, deliveries, unsendable) => {
      givenBack.push({ webhookId, ids: deliveries.map(({ id }) => id), unsendable })
    },
  })
  const add = (webhookId: number, ...ids: readonly number[]) => {
    for (const id of ids) queue.add(delivery({ id, webhookId }))
    dispatcher.pump()
  }
  return { clock, log, queue, targets, recorder, sent, givenBack, state, dispatcher, add }
}

describe('an attempt', () => {
  test('is signed at the second it starts, sent, judged and handed to the recorder', () => {
    const { clock, sent, recorder, queue, add } = setUp()
    add(1, 7)
    const { request, end } = sent[0]!
    expect(request).toMatchObject({ destination: target.destination, body: '{}' })
    const startedAt = clock.now()
    expect(headersOf(request.headers)).toMatchObject({
      'X-Toy-Event': 'brick.stacked;e7;d7',
      'X-Toy-Sig': expect.stringContaining(`t=${Math.floor(startedAt / 1000)};`),
    })
    clock.advance(300)
    end(FAILED, 300)
    expect(recorder.attempts).toEqual([
      {
        deliveryId: 7,
        createdAt: 0,
        lease: 1,
        webhookId: 1,
        attempt: {
          number: 1,
          trigger: 'schedule',
          webhookVersion: 1,
          startedAt,
          durationMs: 300,
          statusCode: 500,
          errorCode: 'http_status',
          errorMessage: 'no',
          contentType: null,
          responseBody: null,
        },
        next: { status: 'pending', nextAttemptAt: startedAt + 300 + 1000 },
        signal: 'failure',
        healthPolicy: 3,
      },
    ])
    expect(queue.inFlight).toBe(0)
  })

  test('that takes over a second makes its webhook a slow one, and leaves no timer', () => {
    const { clock, sent, targets, add } = setUp(2)
    targets.set(2, target)
    for (const webhookId of [1, 2]) {
      add(webhookId, webhookId)
      sent.pop()!.end(OK, 5)
    }
    add(1, 3)
    clock.advance(1000)
    add(1, 4)
    // The one place that slow webhooks may use is taken; the other is for prompt ones.
    expect(sent).toHaveLength(1)
    add(2, 5)
    expect(sent).toHaveLength(2)
    for (const { end } of [...sent]) end(OK, 5)
    clock.advance(1000)
    expect(clock.pending).toBe(0)
  })

  test('makes room for the next one as it ends', async () => {
    const { sent, add } = setUp(1)
    add(1, 1, 2, 3)
    for (let made = 1; made <= 3; made++) {
      expect(sent).toHaveLength(made)
      sent.at(-1)!.end(FAILED, 0)
      await settled()
    }
    expect(sent).toHaveLength(3)
  })

  function setUpMany() {
    const it = setUp(1_000)
    const addMany = (first: number, last: number) => {
      for (let id = first; id <= last; id++) {
        it.targets.set(id, target)
        it.queue.add(delivery({ id, webhookId: id }))
      }
      it.dispatcher.pump()
      it.dispatcher.pump()
    }
    return { ...it, addMany }
  }

  test('begins with seven others in a turn of the event loop, or one for each millisecond of a long turn', async () => {
    const { clock, sent, addMany } = setUpMany()
    addMany(1, 200)
    expect(sent).toHaveLength(8)
    clock.advance(20)
    await turn()
    expect(sent).toHaveLength(8 + 20)
    clock.advance(1_000)
    await turn()
    expect(sent).toHaveLength(8 + 20 + 64)
    await turn()
    expect(sent).toHaveLength(8 + 20 + 64 + 8)
  })

  test('begins with seven others after a long turn in which nothing waited', async () => {
    const { clock, sent, addMany } = setUpMany()
    addMany(1, 8)
    clock.advance(1_000)
    await turn()
    addMany(9, 200)
    expect(sent).toHaveLength(8 + 8)
  })

  test('waits while too many results are unwritten', () => {
    const { recorder, sent, dispatcher, add } = setUp()
    recorder.backlog = 10_000
    add(1, 1)
    expect(sent).toHaveLength(0)
    recorder.backlog = 9_999
    dispatcher.pump()
    expect(sent).toHaveLength(1)
  })
})

describe('a webhook that is not to be sent to', () => {
  test.each(['off', 'paused'] as const)('because it is %s gives back all that waits for it', (status) => {
    const { targets, sent, givenBack, queue, add } = setUp()
    targets.set(2, { ...target, status })
    queue.add(delivery({ id: 4, webhookId: 2 }))
    add(2, 5, 6)
    expect(givenBack).toEqual([{ webhookId: 2, ids: [4, 5, 6], unsendable: false }])
    expect([sent.length, queue.size, queue.inFlight]).toEqual([0, 0, 0])
  })

  test('because its secret is shut is given back as unsendable, once', () => {
    const { targets, givenBack, queue, add, state } = setUp()
    targets.set(2, 'unsendable')
    queue.add(delivery({ id: 4, webhookId: 2 }))
    add(2, 5)
    expect(givenBack).toEqual([{ webhookId: 2, ids: [4, 5], unsendable: true }])
    expect(state.taken).toBe(1)
  })

  test('because it is gone is given back, and not kept from being claimed', () => {
    const { targets, givenBack, queue, add } = setUp()
    targets.set(2, 'gone')
    queue.add(delivery({ id: 4, webhookId: 2 }))
    add(2, 5)
    expect(givenBack).toEqual([{ webhookId: 2, ids: [4, 5], unsendable: false }])
  })

  test('because signing fails is given back as unsendable, and all others go on', () => {
    const { targets, sent, givenBack, log, queue, add } = setUp()
    const dialect = {
      ...toyDialect,
      requestHeaders: () => {
        throw new Error('no key signs')
      },
    }
    targets.set(2, { ...target, dialect })
    queue.add(delivery({ id: 4, webhookId: 2 }))
    add(1, 5)
    expect(sent).toHaveLength(1)
    expect(givenBack).toEqual([{ webhookId: 2, ids: [4], unsendable: true }])
    expect(log.lines).toEqual([{ level: 'error', message: 'a delivery cannot be signed for' }])
    sent[0]!.end(OK, 5)
    add(1, 6)
    expect(sent).toHaveLength(2)
  })
})

describe('a 410', () => {
  const GONE: AttemptOutcome = { ...FAILED, statusCode: 410 }
  const { policy } = toyDialect
  const switchingOff = {
    ...toyDialect,
    policy: { ...policy, health: { ...policy.health, goneSwitchesOff: true } },
  }

  test('where it switches the webhook off lets nothing more out until the store knows of it', async () => {
    const { targets, sent, givenBack, queue, dispatcher, add } = setUp(1)
    targets.set(2, { ...target, dialect: switchingOff })
    add(2, 4, 5, 6)
    sent[0]!.end(GONE, 5)
    await settled()
    expect(givenBack).toEqual([{ webhookId: 2, ids: [5, 6], unsendable: true }])
    // A publish that was under way.
    add(2, 7)
    expect(givenBack.at(-1)).toEqual({ webhookId: 2, ids: [7], unsendable: true })
    expect([sent.length, queue.size, queue.inFlight]).toEqual([1, 0, 0])
    dispatcher.letGo(2)
    add(2, 8)
    expect(sent).toHaveLength(2)
  })

  test('elsewhere holds up nothing', async () => {
    const { sent, givenBack, add } = setUp(1)
    add(1, 4, 5)
    sent[0]!.end(GONE, 5)
    await settled()
    expect([sent.length, givenBack]).toEqual([2, []])
  })
})

describe('while the lease has run out', () => {
  test('nothing is sent, and all of it after a renewal', () => {
    const { state, targets, sent, dispatcher, add } = setUp()
    targets.set(2, target)
    state.maySend = false
    add(1, 1)
    add(2, 2)
    expect(sent).toHaveLength(0)
    state.maySend = true
    dispatcher.pump()
    expect(sent).toHaveLength(2)
  })

  test('nothing is sent either that had waited for its webhook to be loaded', () => {
    const { state, targets, sent, dispatcher, queue, add } = setUp()
    targets.set(2, target)
    add(2, 9)
    sent.pop()!.end(OK, 5)
    targets.delete(2)
    add(2, 1, 2)
    expect(queue.inFlight).toBe(2)
    state.maySend = false
    targets.set(2, target)
    dispatcher.targetsLoaded([2])
    expect([sent.length, queue.size, queue.inFlight]).toEqual([0, 2, 0])
    state.maySend = true
    dispatcher.pump()
    expect(sent.map(({ request }) => headersOf(request.headers)['X-Toy-Event'])).toEqual([
      'brick.stacked;e1;d1',
      'brick.stacked;e2;d2',
    ])
  })

  test('a lost one drops what waits, also for its webhook to be loaded, and no attempt under way', () => {
    const { targets, sent, dispatcher, queue, recorder, add } = setUp(2)
    add(1, 1)
    add(2, 2, 3)
    dispatcher.dropAll()
    targets.set(2, target)
    dispatcher.targetsLoaded([2])
    expect([sent.length, queue.size, queue.inFlight]).toEqual([1, 0, 1])
    sent[0]!.end(OK, 5)
    expect([recorder.attempts.length, queue.inFlight]).toEqual([1, 0])
  })
})

describe('stop', () => {
  test('waits for what is under way and starts nothing more', async () => {
    const { clock, sent, dispatcher, recorder, add } = setUp(1)
    add(1, 1, 2)
    const stopping = dispatcher.stop(5000)
    sent[0]!.end(OK, 5)
    await stopping
    expect([sent.length, recorder.attempts.length]).toEqual([1, 1])
    clock.advance(1000)
    expect(clock.pending).toBe(0)
  })

  test('abandons what is still under way when its patience is over', async () => {
    const { clock, sent, dispatcher, add } = setUp()
    add(1, 1)
    const stopping = dispatcher.stop(5000)
    clock.advance(5000)
    await stopping
    expect(sent[0]!.abandoned).toBe(true)
  })

  test('of an idle one is immediate', async () => {
    const { dispatcher, sent, add } = setUp()
    await dispatcher.stop(5000)
    add(1, 1)
    expect(sent).toHaveLength(0)
  })
})
