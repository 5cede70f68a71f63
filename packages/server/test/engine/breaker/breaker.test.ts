import { describe, expect, test } from 'vitest'
import type { Cause, Fault } from '../../../src/core/cause.ts'
import { Breaker } from '../../../src/engine/breaker/breaker.ts'
import type { Origin } from '../../../src/engine/breaker/knownOrigins.ts'
import { Witnesses } from '../../../src/engine/breaker/witnesses.ts'
import { Destination, type EgressAgent, type Target } from '../../../src/engine/egress/index.ts'
import { FailureLog } from '../../../src/engine/log/failureLog.ts'
import { Warnings } from '../../../src/engine/log/warnings.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { recordedLog, settled } from '../fakes.ts'

const origin = (name: string, workspaceId = 1): Origin =>
  new Destination({ webhookId: 1, workspaceId, url: `https://${name}.example.com/in` })

const KNOWN = [origin('known-a', 11), origin('known-b', 12), origin('known-c', 13)]
const OPERATORS: Target = {
  protocol: 'http:',
  hostname: 'probe.example.com',
  host: 'probe.example.com:443',
  port: '443',
}

async function setUp(
  params: {
    readonly known?: readonly Origin[]
    readonly operatorsTarget?: Target
    readonly faults?: Readonly<Record<string, Fault>>
  } = {},
) {
  const clock = new ManualClock()
  const log = recordedLog()
  const warnings = new Warnings()
  /** Probed names, in order. */
  const asked: string[] = []
  const events: string[] = []
  /** The egress fault of a host; absent: none. */
  const faults = new Map(Object.entries(params.faults ?? {}))
  const state = {
    everywhere: null as Fault | null,
    takesMs: 5,
    aheadMs: 0,
    late: false,
    noted: 7 as number | null,
    reached: params.known ?? KNOWN,
    any: [] as readonly Origin[],
    storeHangs: false,
    addressOf: (name: string) => name,
  }
  const slots: number[] = []
  const probe: EgressAgent['probe'] = ({ hostname }, timeoutMs, callback) => {
    asked.push(hostname.split('.')[0]!)
    const isTooSlow = state.takesMs > timeoutMs
    const fault =
      state.everywhere ?? faults.get(hostname.split('.')[0]!) ?? (isTooSlow ? 'connect_timeout' : null)
    clock.after(fault === 'connect_timeout' ? timeoutMs : state.takesMs, () =>
      callback({ fault, address: state.addressOf(hostname.split('.')[0]!) }),
    )
  }
  const witnesses = new Witnesses({
    clock,
    random: () => 0.5,
    probe,
    operatorsTarget: params.operatorsTarget ?? null,
    readReached: async () => (state.storeHangs ? new Promise(() => {}) : state.reached),
    readAny: async () => state.any,
    log,
    failureLog: new FailureLog(clock, log),
    warnings,
  })
  const breaker = new Breaker({
    clock,
    probe,
    witnesses,
    clockWatch: {
      get aheadMs() {
        return state.aheadMs
      },
      failingFrom: null,
    },
    loopWatch: { wasLateSince: () => state.late },
    notes: { note: async () => state.noted, allHeld: true },
    slots: 512,
    log,
    warnings,
    observer: { egressChanged: (open) => void events.push(open ? 'open' : 'closed') },
    onHeld: () => void events.push('held'),
    onAbort: () => {},
    onOpen: () => void events.push('resumed'),
    onSlots: (allowed) => void slots.push(allowed),
  })
  await witnesses.start()
  await settled()
  const verdicts: (readonly [string, Cause, boolean])[] = []
  const fail = (name: string, fault: Fault, startedAt = clock.monotonic(), workspaceId = 1) =>
    breaker.judge({ origin: origin(name, workspaceId), fault, startedAt }, (cause, open) =>
      verdicts.push([name, cause, open]),
    )
  /** Lets time pass, with its timers. */
  const pass = async (ms: number, step = 50) => {
    for (let left = ms; left > 0; left -= step) {
      clock.advance(Math.min(step, left))
      await settled()
    }
  }
  return { clock, log, warnings, breaker, asked, events, faults, state, slots, verdicts, fail, pass }
}

describe('a failure without a response', () => {
  test('is probed again while the store does not name receivers', async () => {
    const { clock, breaker, pass, events, state } = await setUp({ known: [] })
    await pass(11_000, 500)
    state.everywhere = 'connect_timeout'
    const startedAt = clock.monotonic()
    for (let second = 1; second <= 25; second++) {
      await pass(1_000, 500)
      breaker.hangs(startedAt)
      if (second === 2) state.reached = KNOWN
    }
    expect(events).toEqual(['closed', 'held'])
  })

  test('waits until a receiver that answered recently can be reached, which is the only one probed', async () => {
    const { fail, pass, verdicts, asked } = await setUp()
    fail('dead', 'connect_failed')
    expect(verdicts).toEqual([])
    await pass(300)
    expect(verdicts).toEqual([['dead', 'path', true]])
    expect(asked).toEqual(['known-a'])
  })

  test('counts when a receiver answers a while later over a new connection', async () => {
    const { clock, fail, breaker, verdicts, asked } = await setUp()
    fail('dead', 'connect_failed')
    breaker.answered(origin('other'), clock.monotonic() + 101, false)
    // Such an answer may have been in flight before, or its connection breaks next.
    breaker.answered(origin('other'), clock.monotonic() - 1, true)
    breaker.answered(origin('other'), clock.monotonic() + 100, true)
    expect(verdicts).toEqual([])
    breaker.answered(origin('other'), clock.monotonic() + 101, true)
    expect(verdicts).toEqual([['dead', 'path', true]])
    expect(asked).toEqual([])
  })

  test('counts after the request, when a receiver answers a while later over any connection', async () => {
    const { clock, fail, breaker, verdicts } = await setUp()
    fail('hanging', 'timeout')
    breaker.answered(origin('other'), clock.monotonic() + 101, false)
    expect(verdicts).toEqual([['hanging', 'receiver', true]])
  })

  test('counts at once if the cause cannot be determined: fewer than three are known, and no probe is configured', async () => {
    const { fail, verdicts, asked } = await setUp({ known: KNOWN.slice(0, 2) })
    fail('dead', 'connect_failed')
    expect(verdicts).toEqual([['dead', 'path', false]])
    expect(asked).toEqual([])
  })

  test.each<[Fault]>([['refused_target'], ['unsendable']])(
    'counts at once where nothing was sent: %s',
    async (fault) => {
      const { fail, verdicts } = await setUp()
      fail('odd', fault)
      expect(verdicts).toEqual([['odd', 'receiver', false]])
    },
  )

  test('never waits for longer than 5 s, and probes are a second apart however much fails', async () => {
    const { clock, breaker, pass, asked, faults, state } = await setUp()
    // The first probe gets no answer; one of the others does, late.
    for (const name of ['known-a', 'known-b']) faults.set(name, 'connect_timeout')
    state.takesMs = 1_200
    const waited: number[] = []
    for (let i = 0; i < 200; i++) {
      const failedAt = clock.monotonic()
      breaker.judge({ origin: origin('dead'), fault: 'connect_failed', startedAt: failedAt }, () =>
        waited.push(clock.monotonic() - failedAt),
      )
      await pass(50)
    }
    await pass(5_000)
    expect(waited).toHaveLength(200)
    expect(Math.max(...waited)).toBeLessThanOrEqual(5_000)
    expect(asked.length).toBeLessThanOrEqual(6 * 15)
  })

  test('of a receiver that is dead at night, with no other active, costs one connect a second', async () => {
    const { fail, pass, verdicts, asked } = await setUp()
    for (let i = 0; i < 100; i++) {
      fail('dead', 'connect_failed')
      await pass(100)
    }
    expect(verdicts.length).toBeGreaterThan(80)
    expect(verdicts.every(([, cause]) => cause === 'path')).toBe(true)
    expect(asked.length).toBeLessThanOrEqual(11)
  })
})

describe('when no receiver can be reached', () => {
  test('sending is stopped, failures do not count, and one success resumes it', async () => {
    const { fail, pass, verdicts, events, state, breaker, warnings, log, slots, clock } = await setUp()
    state.everywhere = 'connect_failed'
    fail('a', 'connect_failed')
    fail('b', 'connect_timeout', undefined, 2)
    const failedAt = clock.now()
    await pass(600)
    expect(events).toEqual(['closed', 'held'])
    expect(verdicts).toEqual([
      ['a', 'sender', false],
      ['b', 'sender', false],
    ])
    expect(breaker.heldSince).toBe(failedAt)
    expect(breaker.allHeldSince).toBe(failedAt)
    expect(warnings.list()).toMatchObject([{ code: 'sending_held', since: failedAt }])
    fail('inflight', 'timeout')
    expect(verdicts.at(-1)).toEqual(['inflight', 'sender', false])
    await pass(10_000)
    expect(events).toEqual(['closed', 'held'])
    state.everywhere = null
    await pass(1_100)
    expect(events).toEqual(['closed', 'held', 'open', 'resumed'])
    expect(breaker.heldSince).toBeNull()
    expect(warnings.list()).toEqual([])
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info'])
    expect(log.lines[1]!.message).toMatch(/^Sending resumed after 1\d s/)
    await pass(31_000, 500)
    expect(slots[0]).toBe(16)
    expect(slots.at(-1)).toBe(512)
    expect(slots.toSorted((a, b) => a - b)).toEqual(slots)
  })

  test('an attempt in flight at that time does not count either, when it fails later', async () => {
    const { fail, pass, verdicts, state, clock, events } = await setUp()
    const startedAt = clock.monotonic()
    state.everywhere = 'connect_failed'
    fail('a', 'connect_failed')
    await pass(1_000)
    state.everywhere = null
    await pass(2_000)
    expect(events.at(-1)).toBe('resumed')
    fail('hanging', 'timeout', startedAt)
    expect(verdicts.at(-1)).toEqual(['hanging', 'sender', false])
  })

  test('one is probed at a time, each second for a minute and then every 5 s, never the same twice in a row', async () => {
    const { fail, pass, state, asked } = await setUp()
    state.everywhere = 'connect_failed'
    fail('a', 'connect_failed')
    await pass(600)
    const before = asked.length
    await pass(60_000)
    const inMinute = asked.slice(before)
    expect(inMinute.length).toBeGreaterThanOrEqual(58)
    expect(inMinute.length).toBeLessThanOrEqual(61)
    await pass(60_000)
    expect(asked.length - before - inMinute.length).toBeLessThanOrEqual(13)
    const turns = asked.slice(before)
    expect(turns.every((name, i) => name !== turns[i - 1])).toBe(true)
    expect(new Set(turns).size).toBe(3)
  })

  test('it resumes only once the store has recorded it', async () => {
    const { fail, pass, state, events } = await setUp()
    state.everywhere = 'connect_failed'
    fail('a', 'connect_failed')
    await pass(600)
    state.everywhere = null
    state.noted = null
    await pass(5_000)
    expect(events).toEqual(['closed', 'held'])
    state.noted = 0
    await pass(1_100)
    expect(events.at(-1)).toBe('resumed')
  })

  test('the configured probe decides if no receiver is known, and an answering receiver overrides it', async () => {
    const alone = await setUp({ known: [], operatorsTarget: OPERATORS })
    await alone.pass(100)
    alone.state.everywhere = 'connect_failed'
    alone.fail('a', 'connect_failed')
    await alone.pass(600)
    expect(alone.asked.slice(0, 2)).toEqual(['probe', 'probe'])
    expect(alone.events).toEqual(['closed', 'held'])
    const known = await setUp({ operatorsTarget: OPERATORS })
    await known.pass(100)
    known.faults.set('probe', 'connect_failed')
    known.fail('a', 'connect_failed')
    await known.pass(600)
    expect(known.events).toEqual([])
    expect(known.verdicts).toEqual([['a', 'path', true]])
  })
})

test('the configured probe is ignored before its first answer, and operators are warned', async () => {
  const { fail, pass, verdicts, state, warnings, faults } = await setUp({
    known: [],
    operatorsTarget: OPERATORS,
    faults: { probe: 'no_such_name' },
  })
  await pass(100)
  expect(warnings.list()).toMatchObject([{ code: 'egress_probe_away' }])
  fail('a', 'connect_failed')
  expect(verdicts).toEqual([['a', 'path', false]])
  faults.delete('probe')
  await pass(61_000, 500)
  expect(warnings.list()).toEqual([])
  state.everywhere = 'connect_failed'
  fail('b', 'connect_failed')
  await pass(600)
  expect(verdicts.at(-1)).toEqual(['b', 'sender', false])
})

describe('a slow egress', () => {
  test('does not look blocked', async () => {
    const { clock, breaker, pass, events, verdicts, fail, state } = await setUp()
    state.takesMs = 3_000
    breaker.hangs(clock.monotonic())
    await pass(5_000)
    fail('dead', 'connect_failed')
    await pass(5_000)
    expect(events).toEqual([])
    expect(verdicts).toEqual([['dead', 'path', true]])
  })

  test('stops sending once if it is too slow for probes, and not again as long as a receiver answers', async () => {
    const { clock, breaker, pass, events, state } = await setUp()
    state.takesMs = 6_000
    breaker.hangs(clock.monotonic())
    await pass(5_000)
    expect(events).toEqual(['closed', 'held'])
    await pass(8_000)
    expect(events.slice(2)).toEqual(['open', 'resumed'])
    for (let i = 0; i < 60; i++) {
      breaker.hangs(clock.monotonic())
      await pass(7_000, 500)
      breaker.answered(origin('known-a', 11), clock.monotonic() - 6_500, true)
    }
    expect(events).toHaveLength(4)
    // Nothing gets through any more.
    await pass(11_000, 500)
    breaker.hangs(clock.monotonic())
    await pass(5_000)
    expect(events.slice(4)).toEqual(['closed', 'held'])
  })
})

test('consecutive faults of ours stop sending again, though a probe took long to show it', async () => {
  const { clock, fail, breaker, pass, events, state } = await setUp()
  state.everywhere = 'resolver_unreachable'
  fail('a', 'resolver_unreachable')
  await pass(1_000)
  expect(events).toEqual(['closed', 'held'])
  // Names are resolved again, but now nothing answers.
  state.everywhere = 'connect_timeout'
  while (!events.includes('resumed')) await pass(50)
  const startedAt = clock.monotonic()
  for (let second = 1; second <= 6; second++) {
    await pass(1_000)
    breaker.hangs(startedAt)
  }
  expect(events.slice(4)).toEqual(['closed', 'held'])
})

describe('a node that starts', () => {
  test('stops sending at once if no receiver can be reached', async () => {
    const { breaker, events, state, pass } = await setUp()
    state.everywhere = 'connect_failed'
    const started = breaker.start()
    await pass(500)
    await started
    expect(events).toEqual(['closed', 'held'])
  })

  test.each([
    ['a receiver can be reached', KNOWN],
    ['no receiver is known', []],
  ])('sends where %s', async (_, known) => {
    const { breaker, events, pass } = await setUp({ known })
    const started = breaker.start()
    await pass(500)
    await started
    expect(events).toEqual([])
  })
})

describe('the receivers to probe', () => {
  test('are all known ones, if many of them share an address', async () => {
    const known = Array.from({ length: 20 }, (_, i) => origin(`known-${i}`, i))
    const { fail, pass, events, state } = await setUp({ known })
    state.everywhere = 'connect_failed'
    state.addressOf = (name) => (Number(name.slice(6)) < 16 ? 'shared' : name)
    fail('a', 'connect_failed')
    await pass(1_000)
    expect(events).toEqual(['closed', 'held'])
  })

  test('include others while sending is stopped, since known ones may be gone for good', async () => {
    const { fail, pass, events, faults, state, asked } = await setUp()
    for (const name of ['known-a', 'known-b', 'known-c']) faults.set(name, 'connect_failed')
    fail('known-a', 'connect_failed')
    await pass(1_000)
    expect(events).toEqual(['closed', 'held'])
    state.any = [origin('new', 20)]
    await pass(30_000, 500)
    expect(events.slice(2)).toEqual(['open', 'resumed'])
    expect(asked).toContain('new')
  })

  test('are none while any attempt is answered, however long another takes', async () => {
    const { clock, breaker, pass, asked } = await setUp()
    for (let i = 0; i < 100; i++) {
      const startedAt = clock.monotonic()
      await pass(1_000, 500)
      breaker.answered(origin('other', 5), startedAt, false)
      breaker.hangs(startedAt)
    }
    expect(asked).toEqual([])
  })
})

test('a result counts after 5 s, even if the store that names receivers does not answer', async () => {
  const { clock, breaker, pass, state } = await setUp({ known: [] })
  state.storeHangs = true
  await pass(11_000, 500)
  let waited: number | null = null
  const failedAt = clock.monotonic()
  breaker.judge({ origin: origin('a'), fault: 'connect_failed', startedAt: failedAt }, () => {
    waited = clock.monotonic() - failedAt
  })
  await pass(6_000)
  expect(waited).toBeLessThanOrEqual(5_000)
})

describe('a fault of our own', () => {
  test('stops sending even if no receiver is known, and until it has gone', async () => {
    const { fail, pass, verdicts, events, state, asked } = await setUp({ known: [] })
    state.everywhere = 'proxy_unreachable'
    fail('a', 'proxy_unreachable')
    await pass(600)
    expect(events).toEqual(['closed', 'held'])
    expect(verdicts).toEqual([['a', 'sender', false]])
    expect(new Set(asked)).toEqual(new Set(['a']))
    // The proxy is back, and slow; then it reports the receiver as dead.
    state.everywhere = 'proxy_timeout'
    await pass(3_000)
    expect(events).toEqual(['closed', 'held'])
    state.everywhere = 'proxy_found_target_dead'
    await pass(1_100)
    expect(events.at(-1)).toBe('resumed')
  })

  test('does not stop sending if it may concern only that receiver, and no other is known', async () => {
    const { fail, pass, verdicts, events, state } = await setUp({ known: [] })
    state.everywhere = 'proxy_refused_sender'
    fail('a', 'proxy_refused_sender')
    await pass(6_000)
    expect(events).toEqual([])
    expect(verdicts).toEqual([['a', 'sender', false]])
  })

  test('does not end because a receiver has lost its name', async () => {
    const { fail, pass, events, state, faults } = await setUp()
    state.everywhere = 'proxy_unreachable'
    fail('a', 'proxy_unreachable')
    await pass(1_000)
    expect(events).toEqual(['closed', 'held'])
    state.everywhere = null
    for (const name of ['known-a', 'known-b', 'known-c']) faults.set(name, 'no_such_name')
    await pass(60_000, 500)
    expect(events).toEqual(['closed', 'held'])
  })

  test('does not stop sending while others are reached, and does not count', async () => {
    const { fail, pass, verdicts, events } = await setUp()
    fail('a', 'out_of_sockets')
    await pass(300)
    expect(events).toEqual([])
    expect(verdicts).toEqual([['a', 'sender', true]])
  })

  test('a timeout with a late event loop, and a certificate error after a clock leap, do not count', async () => {
    const { fail, pass, verdicts, state } = await setUp()
    state.late = true
    fail('slow', 'timeout')
    state.late = false
    state.aheadMs = 60_000
    fail('certified', 'certificate_dates')
    await pass(300)
    expect(verdicts).toEqual([
      ['slow', 'sender', true],
      ['certified', 'sender', true],
    ])
  })
})

test('at a stop, undecided failures do not count', async () => {
  const { fail, breaker, verdicts } = await setUp()
  fail('a', 'connect_failed')
  breaker.stop()
  expect(verdicts).toEqual([['a', 'sender', false]])
  fail('b', 'connect_failed')
  expect(verdicts.at(-1)).toEqual(['b', 'sender', false])
})
