import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../../src/core/delivery.ts'
import { Dispatcher, type DispatcherParams } from '../../src/engine/attempt/dispatcher.ts'
import type { OnSent } from '../../src/engine/attempt/sender.ts'
import type { Failure, OnJudged } from '../../src/engine/breaker/breaker.ts'
import { Destination, type OutboundRequest } from '../../src/engine/egress/index.ts'
import { silentObserver } from '../../src/engine/log/observer.ts'
import type { Target } from '../../src/engine/schedule/lane.ts'
import type { AttemptToRecord } from '../../src/storage/storage.ts'
import { delivery } from '../support/deliveries.ts'
import { headersOf } from '../support/requestHeaders.ts'
import { toyDialect } from '../support/toyDialect.ts'
import { recordedLog, settled } from './fakes.ts'
import { TestLanes } from './lanesFixture.ts'

const OK: AttemptOutcome = {
  error: null,
  statusCode: 200,
  contentType: null,
  body: null,
  retryAfter: null,
  newConnection: true,
}
const FAILED: AttemptOutcome = {
  ...OK,
  statusCode: 500,
  error: { code: 'http_status', fault: 'status', message: 'no' },
}

const target: Target = {
  version: 1,
  dialect: toyDialect,
  publicId: 'toy-hook-1',
  workspaceSlug: 'toys',
  status: 'on',
  destination: new Destination({ webhookId: 1, workspaceId: 1, url: 'https://toys.example.com/in' }),
  keys: [{ key: toyDialect.secrets.keyOf(toyDialect.secrets.make(Buffer.alloc(40, 1))), expiresAt: null }],
}

interface Sent {
  readonly request: OutboundRequest
  readonly end: OnSent
  abandoned: boolean
  connected: boolean
}

function setUp(maxInFlight = 10, tracing: DispatcherParams['tracing'] = null) {
  const lanes = new TestLanes({ maxInFlight, maxInFlightPerWebhook: 10 })
  const { clock } = lanes
  const log = recordedLog()
  const recorder = { backlog: 0, attempts: [] as AttemptToRecord[] }
  const sent: Sent[] = []
  const released: number[] = []
  const loading: number[] = []
  const lease = { valid: true }
  const state = { roomFreed: 0 }
  const sender = {
    send(request: OutboundRequest, end: OnSent) {
      const entry: Sent = { request, end, abandoned: false, connected: false }
      sent.push(entry)
      return {
        get connected() {
          return entry.connected
        },
        abandon: () => {
          entry.abandoned = true
        },
      }
    },
  }
  /** Failures that wait for their verdicts. */
  const suspects: { failure: Failure; judged: OnJudged }[] = []
  /** Start times of attempts reported to the breaker as hanging. */
  const hanging: number[] = []
  const breaker = {
    answered() {},
    hangs: (startedAt: number) => void hanging.push(startedAt),
    judge: (failure: Failure, judged: OnJudged) => void suspects.push({ failure, judged }),
  }
  const dispatcher = new Dispatcher({
    clock,
    random: () => 0.5,
    log,
    lanes,
    targetLoader: {
      load: (lane) => {
        loading.push(lane.webhookId)
        lanes.block(lane, 'loading')
      },
    },
    claimer: {
      roomFreed: () => {
        state.roomFreed++
      },
      wake: () => {},
      release: (_, deliveries) => void released.push(...deliveries.map(({ id }) => id)),
    },
    recorder: {
      add: (attempt) => void recorder.attempts.push(attempt),
      numberOf: () => 3,
      get backlog() {
        return recorder.backlog
      },
    },
    breaker,
    observer: silentObserver,
    tracing,
    senderOf: () => sender,
    formatIds: { event: (_, { eventId }) => `e${eventId}`, delivery: (_, { id }) => `d${id}` },
    lease,
  })
  const lane = (webhookId: number) => lanes.of({ webhookId, workspaceId: 1 })
  const setTarget = (webhookId: number, of: Target | null = target) => {
    lane(webhookId).target = of
  }
  setTarget(1)
  const add = (webhookId: number, ...ids: readonly number[]) =>
    lanes.add(
      ids.map((id) => delivery({ id, webhookId })),
      'claim',
    )
  return {
    clock,
    log,
    lanes,
    lane,
    setTarget,
    recorder,
    sent,
    released,
    loading,
    suspects,
    hanging,
    lease,
    state,
    dispatcher,
    add,
  }
}

describe('an attempt', () => {
  test('is signed at the second it starts, sent, judged and passed to the recorder', () => {
    const { clock, sent, recorder, lanes, add } = setUp()
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
          cause: 'receiver',
          contentType: null,
          responseBody: null,
        },
        next: { status: 'pending', nextAttemptAt: startedAt + 300 + 1000 },
        signal: 'failure',
        healthPolicy: 3,
        replayId: null,
      },
    ])
    expect(lanes.inFlight).toBe(0)
  })

  test('that takes over a second makes its webhook a slow one, and leaves no timer', () => {
    const { clock, sent, setTarget, add } = setUp(2)
    setTarget(2)
    for (const webhookId of [1, 2]) {
      add(webhookId, webhookId)
      sent.pop()!.end(OK, 5)
    }
    add(1, 3)
    clock.advance(1000)
    add(1, 4)
    // The only slot for slow webhooks is taken; the other is for fast ones.
    expect(sent).toHaveLength(1)
    add(2, 5)
    expect(sent).toHaveLength(2)
    for (const { end } of [...sent]) end(OK, 5)
    clock.advance(1000)
    expect(clock.pending).toBe(0)
  })

  test('that hangs is reported to the breaker every second, until it ends or the process stops', async () => {
    const { add, setTarget, clock, dispatcher, hanging, sent } = setUp()
    setTarget(2)
    add(1, 7)
    add(2, 8)
    for (let second = 0; second < 3; second++) clock.advance(1_000)
    expect(hanging).toHaveLength(6)
    sent[0]!.end(OK, 3_000)
    clock.advance(1_000)
    expect(hanging).toHaveLength(7)
    void dispatcher.stop(500)
    clock.advance(1_000)
    await settled()
    clock.advance(1_000)
    expect(hanging).toHaveLength(7)
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
        it.setTarget(id)
        it.add(id, id)
      }
    }
    return { ...it, addMany }
  }

  test('starts with seven others in a turn of the event loop, or one for each millisecond of a long turn', async () => {
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

  test('starts with seven others after a long turn without waiting attempts', async () => {
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

describe('a webhook that cannot be sent to', () => {
  test.each(['off', 'paused'] as const)('because it is %s releases all its waiting deliveries', (status) => {
    const { setTarget, sent, released, lanes, add } = setUp()
    setTarget(2, { ...target, status })
    add(2, 4, 5, 6)
    expect([released, lanes.find(2)!.blocked]).toEqual([[4, 5, 6], false])
    expect([sent.length, lanes.memory.waiting, lanes.inFlight]).toEqual([0, 0, 0])
  })

  test('because signing fails is blocked until it changes, and all others continue', () => {
    const { setTarget, sent, released, log, lane, lanes, add } = setUp()
    const dialect = {
      ...toyDialect,
      requestHeaders: () => {
        throw new Error('no key signs')
      },
    }
    setTarget(2, { ...target, dialect })
    add(2, 4)
    add(1, 5)
    expect([sent.length, released, lane(2).blocks]).toEqual([1, [4], ['unsendable']])
    expect(log.lines).toEqual([{ level: 'error', message: 'a delivery cannot be signed' }])
    sent[0]!.end(OK, 5)
    add(1, 6)
    expect(sent).toHaveLength(2)
    lanes.changed(2)
    setTarget(2)
    add(2, 7)
    expect(sent).toHaveLength(3)
  })
})

describe('a target', () => {
  test('that is missing, or older than the delivery requires, is loaded first', () => {
    const { setTarget, lane, lanes, loading, sent, dispatcher, add } = setUp()
    add(2, 4)
    expect([loading, sent.length]).toEqual([[2], 0])
    setTarget(2)
    lanes.unblock(lane(2), 'loading')
    dispatcher.pump()
    expect(sent).toHaveLength(1)
    lanes.add([delivery({ id: 5, webhookId: 1, webhookVersion: 2 })], 'claim')
    expect([loading, sent.length]).toEqual([[2, 1], 1])
  })
})

describe('a 410', () => {
  const GONE: AttemptOutcome = { ...FAILED, statusCode: 410 }
  const { policy } = toyDialect
  const disabling = {
    ...toyDialect,
    policy: { ...policy, health: { ...policy.health, goneDisables: true } },
  }

  test('that disables the webhook lets nothing more out until the store knows it', async () => {
    const { setTarget, sent, released, lane, lanes, dispatcher, add } = setUp(1)
    setTarget(2, { ...target, dialect: disabling })
    add(2, 4, 5, 6)
    sent[0]!.end(GONE, 5)
    await settled()
    expect([released, lane(2).blocks]).toEqual([[5, 6], ['disabling']])
    // A publish that was in progress.
    expect(add(2, 7).map(({ id }) => id)).toEqual([7])
    expect([sent.length, lanes.memory.waiting, lanes.inFlight]).toEqual([1, 0, 0])
    lanes.unblock(lane(2), 'disabling')
    add(2, 8)
    dispatcher.pump()
    expect(sent).toHaveLength(2)
  })

  test('elsewhere delays nothing', async () => {
    const { sent, released, add } = setUp(1)
    add(1, 4, 5)
    sent[0]!.end(GONE, 5)
    await settled()
    expect([sent.length, released]).toEqual([2, []])
  })
})

describe('while the lease is expired', () => {
  test('nothing is sent, and all of it after a renewal', () => {
    const { lease, setTarget, sent, lanes, add } = setUp()
    setTarget(2)
    lease.valid = false
    add(1, 1)
    add(2, 2)
    expect(sent).toHaveLength(0)
    lease.valid = true
    lanes.ready()
    expect(sent).toHaveLength(2)
  })

  test('deliveries that had waited for their target are not sent either', () => {
    const { lease, setTarget, lane, sent, lanes, add } = setUp()
    add(2, 1, 2)
    lease.valid = false
    setTarget(2)
    lane(2).speed = 'fast'
    lanes.unblock(lane(2), 'loading')
    lanes.ready()
    expect([sent.length, lanes.memory.waiting, lanes.inFlight]).toEqual([0, 2, 0])
    lease.valid = true
    lanes.ready()
    expect(sent.map(({ request }) => headersOf(request.headers)['X-Toy-Event'])).toEqual([
      'brick.stacked;e1;d1',
      'brick.stacked;e2;d2',
    ])
  })

  test('a lost one drops waiting deliveries, also those waiting for their target, and no attempt in flight', () => {
    const { setTarget, lane, sent, lanes, recorder, add } = setUp(2)
    add(1, 1)
    add(2, 2, 3)
    lanes.dropAll()
    setTarget(2)
    lanes.unblock(lane(2), 'loading')
    lanes.ready()
    expect([sent.length, lanes.memory.waiting, lanes.inFlight]).toEqual([1, 0, 1])
    sent[0]!.end(OK, 5)
    expect([recorder.attempts.length, lanes.inFlight]).toEqual([1, 0])
  })
})

describe('an attempt that fails without a response', () => {
  const LOST: AttemptOutcome = {
    ...{ error: { code: 'connect_failed', fault: 'proxy_refused_target', message: 'no' }, statusCode: null },
    ...{ contentType: null, body: null, retryAfter: null, newConnection: true },
  }

  test('keeps its slot until it is judged, and is recorded as of when it ended', () => {
    const { clock, sent, suspects, recorder, lanes, add } = setUp()
    add(1, 7)
    clock.advance(10)
    const endedAt = clock.now()
    sent[0]!.end(LOST, 10)
    expect([recorder.attempts.length, lanes.inFlight, suspects.length]).toEqual([0, 1, 1])
    clock.advance(2_000)
    suspects[0]!.judged('path', true)
    expect(lanes.inFlight).toBe(0)
    expect(recorder.attempts).toMatchObject([
      { attempt: { cause: 'path', errorCode: 'connect_failed' }, next: { nextAttemptAt: endedAt + 1000 } },
    ])
  })

  test('by a fault of ours leaves no trace: the delivery is released, and its lane waits longer each time', async () => {
    const { clock, sent, suspects, recorder, released, lanes, lane, add, setTarget } = setUp()
    for (const waitMs of [1_000, 2_000, 4_000]) {
      setTarget(1)
      add(1, 7, 8)
      sent.at(-1)!.end(LOST, 10)
      suspects.at(-1)!.judged('sender', true)
      expect(released.splice(0)).toEqual([7, 8])
      expect(lanes.memory.waiting).toBe(0)
      clock.advance(waitMs - 1)
      expect(lane(1).blocks).toEqual(['sender'])
      clock.advance(1)
      expect(lane(1).blocks).toEqual([])
      await settled()
    }
    expect(recorder.attempts).toEqual([])
    expect(lane(1).speed).toBe('unknown')
  })

  test('by a fault of ours does not mark its receiver as slow', () => {
    const { clock, sent, suspects, lane, add } = setUp()
    add(1, 7)
    clock.advance(5_000)
    expect(lane(1).speed).toBe('slow')
    sent[0]!.end(LOST, 5_000)
    suspects[0]!.judged('sender', false)
    expect(lane(1).speed).toBe('unknown')
  })

  /** Makes attempts of webhook 1 fail for a while. @returns for each attempt, whether it was counted */
  async function failFor(ms: number, wayIsOpen: boolean, outcome = LOST) {
    const it = setUp()
    const charged: boolean[] = []
    for (let end = it.clock.monotonic() + ms; it.clock.monotonic() < end; ) {
      it.setTarget(1)
      it.add(1, 7)
      it.sent.at(-1)!.end(outcome, 10)
      it.suspects.at(-1)!.judged('sender', wayIsOpen)
      charged.push(it.recorder.attempts.splice(0).length > 0)
      it.clock.advance(30_000)
      await settled()
    }
    return charged
  }

  test('is counted if only its receiver is blocked for a minute', async () => {
    expect(await failFor(150_000, true)).toEqual([false, false, false, true, true])
  })

  test('keeps waiting if no other was reached', async () => {
    expect(await failFor(1_200_000, false)).not.toContain(true)
  })

  test('is counted gradually if the fault is rarely that of one receiver: it must not wait for ever', async () => {
    const ours = { ...LOST, error: { ...LOST.error!, fault: 'out_of_sockets' as const } }
    expect((await failFor(660_000, true, ours)).indexOf(true)).toBe(20)
  })
})

describe('while no receiver can be reached', () => {
  test('attempts without a connection are aborted at once, and others soon', () => {
    const { clock, sent, released, lanes, recorder, dispatcher, add } = setUp()
    add(1, 1)
    sent[0]!.end(OK, 5)
    recorder.attempts.length = 0
    add(1, 2, 3)
    sent[2]!.connected = true
    lanes.hold()
    dispatcher.abortInFlight(false)
    expect([sent[1]!.abandoned, sent[2]!.abandoned, released]).toEqual([true, false, [2]])
    clock.advance(3_000)
    expect([sent[2]!.abandoned, released]).toEqual([true, [2, 3]])
    expect([recorder.attempts.length, lanes.inFlight]).toEqual([0, 0])
  })

  test('a sent request may still be answered, where connections continue', () => {
    const { clock, sent, recorder, lanes, dispatcher, add } = setUp()
    add(1, 1)
    sent[0]!.connected = true
    lanes.hold()
    dispatcher.abortInFlight(true)
    clock.advance(60_000)
    expect(sent[0]!.abandoned).toBe(false)
    sent[0]!.end(OK, 5)
    expect(recorder.attempts).toHaveLength(1)
  })
})

describe('a trace', () => {
  const EVENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const ATTEMPT = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'

  /** One delivery with a trace, and the reports about its attempt. */
  function tracedSetUp(of: Target = target) {
    const heard: unknown[] = []
    const it = setUp(10, {
      attempt(traceparent, { webhookId, ids }) {
        heard.push([traceparent, webhookId, ids()])
        return {
          traceparent: ATTEMPT,
          ended: ({ number, errorCode }) => void heard.push(['ended', number, errorCode]),
          released: (errorCode) => void heard.push(['released', errorCode]),
        }
      },
    })
    it.setTarget(1, of)
    it.lanes.add([delivery({ id: 7, webhookId: 1, traceparent: EVENT })], 'claim')
    return { ...it, heard }
  }
  const BEGUN = [EVENT, 'toy-hook-1', { eventId: 'e7', deliveryId: 'd7' }]

  test('of an event continues in its attempt, which carries it to the receiver', () => {
    const { sent, heard } = tracedSetUp()
    expect(headersOf(sent[0]!.request.headers)).toMatchObject({ traceparent: ATTEMPT })
    sent[0]!.end(FAILED, 5)
    expect(heard).toEqual([BEGUN, ['ended', 1, 'http_status']])
  })

  test('contains an attempt that does not count', () => {
    const { sent, suspects, heard } = tracedSetUp()
    sent[0]!.end({ ...FAILED, statusCode: null, error: { code: 'reset', fault: 'reset', message: 'no' } }, 5)
    suspects[0]!.judged('sender', false)
    expect(heard).toEqual([BEGUN, ['released', 'reset']])
  })

  test('contains an attempt that is abandoned, also at a stop', async () => {
    const held = tracedSetUp()
    held.lanes.hold()
    held.dispatcher.abortInFlight(true)
    expect(held.heard).toEqual([BEGUN, ['released', null]])
    const stopped = tracedSetUp()
    const stopping = stopped.dispatcher.stop(5_000)
    stopped.clock.advance(5_000)
    await stopping
    expect(stopped.heard).toEqual([BEGUN, ['released', null]])
  })

  test('leaves a header unchanged that a profile writes itself', () => {
    const own = { ...toyDialect, requestHeaders: () => ['TraceParent', 'its own'] }
    const { sent } = tracedSetUp({ ...target, dialect: own })
    expect(headersOf(sent[0]!.request.headers)).toMatchObject({ TraceParent: 'its own' })
    expect(headersOf(sent[0]!.request.headers)).not.toHaveProperty('traceparent')
  })

  test('is not requested where an event has none', async () => {
    const { sent, heard, add } = tracedSetUp()
    sent[0]!.end(OK, 5)
    add(1, 8)
    await settled()
    expect(heard).toEqual([BEGUN, ['ended', 1, null]])
    expect(headersOf(sent[1]!.request.headers)).not.toHaveProperty('traceparent')
  })
})

describe('stop', () => {
  test('waits for attempts in flight and starts no more', async () => {
    const { clock, sent, dispatcher, recorder, add } = setUp(1)
    add(1, 1, 2)
    const stopping = dispatcher.stop(5000)
    sent[0]!.end(OK, 5)
    await stopping
    expect([sent.length, recorder.attempts.length]).toEqual([1, 1])
    clock.advance(1000)
    expect(clock.pending).toBe(0)
  })

  test('abandons attempts still in flight at its timeout', async () => {
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
