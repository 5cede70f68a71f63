import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../src/core/cause.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/core/duration.ts'
import type { ToAsk } from '../../../src/engine/breaker/inquiry.ts'
import { KnownOrigins, type Origin } from '../../../src/engine/breaker/knownOrigins.ts'
import { RAMP_MS, slotsAfter } from '../../../src/engine/breaker/ramp.ts'
import { type Asked, judgeWayOut, type WayOut } from '../../../src/engine/breaker/verdict.ts'
import { Destination } from '../../../src/engine/egress/index.ts'

/** A probe of a receiver. */
const asked = (fault: Fault | null, address: string, workspaceId: number | null = 1): Asked => ({
  name: address,
  fault,
  address,
  workspaceIds: workspaceId === null ? null : [workspaceId],
})

describe('what probes say about our egress', () => {
  test.each<[string, readonly Asked[], WayOut]>([
    ['no probe was sent', [], 'unknown'],
    [
      'one of many answers',
      [asked('connect_timeout', 'a'), asked('connect_failed', 'b', 2), asked(null, 'c')],
      'open',
    ],
    [
      'three addresses of two workspaces are out of reach',
      [asked('connect_timeout', 'a'), asked('connect_failed', 'b'), asked('resolver_trouble', 'c', 2)],
      'closed',
    ],
    [
      'all of them are of one workspace',
      [asked('connect_timeout', 'a'), asked('connect_failed', 'b'), asked('connect_failed', 'c')],
      'unknown',
    ],
    [
      'three names lead to two addresses',
      [asked('connect_timeout', 'a'), asked('connect_failed', 'a', 2), asked('connect_failed', 'c', 3)],
      'unknown',
    ],
    ['the configured probe is out of reach', [asked('connect_failed', 'probe', null)], 'closed'],
    [
      'the configured probe is out of reach, and a receiver is not',
      [asked('connect_failed', 'probe', null), asked(null, 'a')],
      'open',
    ],
    ['one fault that is the same for every receiver', [asked('proxy_unreachable', 'a')], 'closed'],
    ['one fault of ours that may concern that receiver', [asked('proxy_refused_sender', 'a')], 'unknown'],
    ['one fault that may concern that receiver alone', [asked('proxy_refused_target', 'a')], 'unknown'],
    [
      'such a fault next to one of the network',
      [asked('out_of_sockets', 'a'), asked('connect_failed', 'b')],
      'unknown',
    ],
    [
      'a rejection by the rules says nothing',
      [asked('refused_target', 'a'), asked('resolver_unreachable', 'b')],
      'closed',
    ],
  ])('%s', (_, probes, verdict) => {
    expect(judgeWayOut(probes)).toBe(verdict)
  })
})

const origin = (name: string, workspaceId: number): Origin =>
  new Destination({ webhookId: 1, workspaceId, url: `https://${name}.example.com/in` })

describe('the receivers to probe', () => {
  const names = (origins: readonly ToAsk[]) => origins.map(({ target }) => target.hostname.split('.')[0])

  test('those that have not failed since come first, and one of each workspace before a second', () => {
    const known = new KnownOrigins()
    for (const [name, workspaceId] of [
      ['a', 1],
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ] as const)
      known.answered(origin(name, workspaceId), 0)
    known.failed(origin('c', 2).origin)
    const drawn = names(known.some(10, 0, () => 0.5))
    expect(drawn).toHaveLength(4)
    expect(drawn.slice(0, 3)).toEqual(['a', 'd', 'c'])
    expect(names(known.some(2, 0, () => 0.5))).toEqual(['a', 'd'])
    known.answered(origin('c', 2), 1)
    expect(names(known.some(3, 1, () => 0.5))).toEqual(['a', 'c', 'd'])
  })

  test('those that last answered over a day ago are left out, and those that never did', () => {
    const known = new KnownOrigins()
    known.failed(origin('never', 1).origin)
    known.answered(origin('old', 1), 0)
    known.answered(origin('new', 1), MINUTE_MS)
    expect(names(known.some(10, DAY_MS + MINUTE_MS, () => 0.5))).toEqual(['new'])
  })

  test('they are sufficient once there are three of two workspaces, among those that answered within a day', () => {
    const known = new KnownOrigins()
    known.answered(origin('a', 1), 0)
    known.answered(origin('b', 1), MINUTE_MS)
    known.answered(origin('c', 1), MINUTE_MS)
    expect(known.mayTell(MINUTE_MS)).toBe(false)
    known.answered(origin('b', 2), MINUTE_MS)
    expect(known.mayTell(MINUTE_MS)).toBe(true)
    expect(known.mayTell(DAY_MS + MINUTE_MS)).toBe(false)
  })

  test('one that answers repeatedly is kept, however many others there are', () => {
    const known = new KnownOrigins()
    for (let i = 0; i < 3_000; i++) {
      known.answered(origin('constant', 1), i * MINUTE_MS)
      known.answered(origin(`other-${i}`, 2), i * MINUTE_MS)
    }
    expect(names(known.some(1_000, 3_000 * MINUTE_MS, () => 0.5))).toContain('constant')
  })
})

test('sending resumes gradually', () => {
  const at = (ms: number) => slotsAfter(ms, 512)
  expect([at(0), at(RAMP_MS / 2), at(RAMP_MS), at(2 * RAMP_MS)]).toEqual([16, 264, 512, 512])
  expect(slotsAfter(0, 1)).toBe(1)
})
