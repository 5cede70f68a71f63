import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { NO_LIMIT } from '../../src/core/limit.ts'
import { TargetLoader } from '../../src/engine/attempt/targetLoader.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { Lane } from '../../src/engine/schedule/lane.ts'
import { createSecretBox, type SecretBox } from '../../src/engine/secretBox.ts'
import type { SendingTarget } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { toyDialect } from '../support/toyDialect.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'
import { TestLanes } from './lanesFixture.ts'

const box = createSecretBox([new Uint8Array(32).fill(1)])
const secret = (fill: number) => toyDialect.secrets.make(new Uint8Array(40).fill(fill))

function row(id: number, version: number, fields: Partial<SendingTarget> = {}): SendingTarget {
  const publicId = `toy-hook-${id}`
  return {
    id,
    workspaceId: 9,
    publicId,
    version,
    dialect: 'toy',
    workspaceSlug: 'toys',
    url: 'https://toys.example.com:8443/in?a=b%20c',
    status: 'on',
    ...NO_LIMIT,
    secrets: [{ sealed: box.seal(secret(id), publicId), expiresAt: null }],
    ...fields,
  }
}

function setUp(maxInFlight = 10, secretBox: SecretBox = box) {
  const lanes = new TestLanes({ maxInFlight, maxInFlightPerWebhook: 10 })
  const { clock } = lanes
  const log = recordedLog()
  const { calls, call } = openCalls<{ webhookIds: readonly number[] }, readonly SendingTarget[]>()
  const released: number[] = []
  const loader = new TargetLoader({
    storage: storageOf({ loadTargets: call }),
    dialects: new Map([['toy', toyDialect]]),
    secretBox,
    clock,
    log,
    failureLog: new FailureLog(clock, log),
    lanes,
    claimer: {
      release: (_, deliveries) => void released.push(...deliveries.map(({ webhookId }) => webhookId)),
    },
  })
  const state = { ready: 0 }
  lanes.onReady(() => state.ready++)
  const lane = (webhookId: number) => lanes.of({ webhookId, workspaceId: 9 })
  /** Loads the targets of these webhooks, each with a waiting delivery. */
  const load = (...ids: readonly number[]) => {
    for (const id of ids) {
      if (lane(id).waiting === 0) lanes.put(delivery({ id, webhookId: id, workspaceId: 9 }))
      loader.load(lane(id))
    }
    state.ready = 0
  }
  const answer = async (...rows: readonly SendingTarget[]) => {
    calls.at(-1)!.resolve(rows)
    await settled()
  }
  const asked = () => calls.map(({ params }) => params.webhookIds)
  return { clock, lanes, log, calls, released, state, lane, load, answer, asked }
}

const macsOf = ({ target }: Lane) => target!.keys.map(({ key }) => key.sign(0, '', 'a body', 'hex'))

/** @param fills of the secrets' bytes */
const macsUnder = (...fills: readonly number[]) =>
  fills.map((fill) => createHmac('sha512', Buffer.alloc(40, fill)).update('a body').digest('hex'))

describe('a target', () => {
  test('is loaded once, decrypted and kept; until then nothing is sent', async () => {
    const { lanes, lane, load, answer, asked, state } = setUp()
    load(1)
    expect([lane(1).blocks, lanes.takeAll()]).toEqual([['loading'], []])
    await answer(row(1, 4))
    expect([lane(1).blocked, state.ready, asked()]).toEqual([false, 1, [[1]]])
    expect(lane(1).target).toMatchObject({
      version: 4,
      status: 'on',
      destination: {
        workspaceId: 9,
        origin: 'https://toys.example.com:8443',
        path: '/in?a=b%20c',
      },
    })
    expect(macsOf(lane(1))).toEqual(macsUnder(1))
    expect(lanes.takeAll()).toEqual([1])
  })

  test('that was rotated repeatedly costs only the newest secrets that can sign', async () => {
    let opened = 0
    const counting: SecretBox = {
      ...box,
      open: (...args) => {
        opened += 1
        return box.open(...args)
      },
    }
    const { lane, load, answer } = setUp(10, counting)
    load(1)
    const secrets = [9, 8, 7, 6, 5].map((fill) => ({
      sealed: box.seal(secret(fill), 'toy-hook-1'),
      expiresAt: fill === 9 ? null : fill * 1000,
    }))
    await answer(row(1, 1, { secrets }))
    expect(macsOf(lane(1))).toEqual(macsUnder(9, 8, 7))
    expect(opened).toBe(3)
  })

  test('that changes while it is being loaded is loaded again before use', async () => {
    const { lanes, lane, load, calls, answer, asked } = setUp()
    load(1)
    lanes.changed(1)
    calls[0]!.resolve([row(1, 1)])
    await settled()
    expect([lane(1).target, lane(1).blocks]).toEqual([null, ['loading']])
    await answer(row(1, 2, { url: 'https://new.example.com/' }))
    expect(lane(1)).toMatchObject({
      blocked: false,
      target: { destination: { origin: 'https://new.example.com' } },
    })
    expect(asked()).toEqual([[1], [1]])
  })

  test('that changed is not used in its old form', async () => {
    const { lanes, lane, load, answer } = setUp()
    load(1)
    await answer(row(1, 1))
    lanes.changed(1)
    expect(lane(1).target).toBeNull()
  })

  test('requested during a load comes with the next one, together with others', async () => {
    const { lanes, load, answer, asked } = setUp()
    load(1, 2, 3)
    await answer(row(1, 1))
    expect(asked()).toEqual([[1], [2, 3]])
    await answer(row(2, 1), row(3, 1))
    expect(asked()).toEqual([[1], [2, 3]])
    expect(lanes.takeAll().sort()).toEqual([1, 2, 3])
  })

  test('of a workspace does not wait for the many of another one', async () => {
    const { lanes, load, calls, answer } = setUp(1_000)
    const ids = Array.from({ length: 600 }, (_, index) => index + 1)
    load(1_000, ...ids)
    lanes.put(delivery({ id: 2_000, webhookId: 2_000, workspaceId: 8 }))
    load(2_000)
    await answer(row(1_000, 1))
    expect(calls[1]!.params.webhookIds.slice(0, 3)).toEqual([1, 2_000, 2])
  })

  test('does not unblock a lane that waits for the record of a 410', async () => {
    const { lanes, lane, load, answer } = setUp()
    load(1)
    lanes.block(lane(1), 'disabling')
    await answer(row(1, 1))
    expect([lane(1).blocks, lane(1).target?.version]).toEqual([['disabling'], 1])
  })

  test('that is still being loaded when a 410 is recorded keeps its lane blocked', async () => {
    const { lanes, lane, load, answer } = setUp()
    load(1)
    lanes.block(lane(1), 'disabling')
    lanes.unblock(lane(1), 'disabling')
    lanes.put(delivery({ id: 2, webhookId: 1, workspaceId: 9 }))
    expect([lane(1).blocks, lanes.takeAll()]).toEqual([['loading'], []])
    await answer(row(1, 1))
    expect(lanes.takeAll()).toEqual([1])
  })

  test('is one of 256 loaded together, in the order of their turns', async () => {
    const { lanes, load, answer, asked } = setUp(1_000)
    const ids = Array.from({ length: 600 }, (_, index) => index + 1)
    load(1_000, ...ids)
    await answer(row(1_000, 1))
    expect(asked()[1]).toEqual(ids.slice(0, 256))
    await answer(...ids.slice(0, 256).map((id) => row(id, 1)))
    expect(lanes.takeAll()).toEqual([1_000, ...ids.slice(0, 256)])
    await answer(...ids.slice(256, 512).map((id) => row(id, 1)))
    expect(asked().map(({ length }) => length)).toEqual([1, 256, 256, 88])
  })
})

describe('a webhook that cannot be sent to', () => {
  test.each([
    ['has a dialect that is not served here', [row(1, 1, { dialect: 'other' })]],
    ['has a secret of another master key', [row(1, 1, { secrets: [sealedElsewhere()] })]],
    ['has a secret of another webhook', [row(1, 1, { secrets: row(2, 1).secrets })]],
    ['has a URL that cannot be read', [row(1, 1, { url: 'https://' })]],
  ] as const)(
    'because it %s, is blocked and its deliveries are released, until it changes',
    async (_, rows) => {
      const { lanes, lane, load, answer, released } = setUp()
      load(1)
      await answer(...rows)
      expect([lane(1).blocks, lane(1).waiting, released]).toEqual([['unsendable'], 0, [1]])
      lanes.changed(1)
      expect(lane(1).blocked).toBe(false)
    },
  )

  test('because it is gone, has its deliveries released, and nothing is remembered', async () => {
    const { lane, load, answer, released } = setUp()
    load(1)
    await answer()
    expect(lane(1)).toMatchObject({ blocked: false, target: null, waiting: 0 })
    expect(released).toEqual([1])
  })

  test('because it is gone, is not sent to in its old form', async () => {
    const { lane, load, answer } = setUp()
    load(1)
    await answer(row(1, 1))
    load(1)
    await answer()
    expect(lane(1).target).toBeNull()
  })

  test('does not prevent loading others', async () => {
    const { lane, load, answer } = setUp()
    load(5, 1, 2)
    await answer(row(5, 1))
    await answer(row(1, 1, { url: 'https://' }), row(2, 1))
    expect([1, 2].map((id) => lane(id).blocks)).toEqual([['unsendable'], []])
    expect(lane(2).target).toMatchObject({ version: 1 })
  })
})

test('while the store is away, loads are retried one at a time, with those requested since', async () => {
  const { clock, lanes, load, calls, answer, asked } = setUp()
  load(1)
  calls[0]!.reject(away())
  await settled()
  load(2)
  expect(calls).toHaveLength(1)
  clock.advance(200)
  expect(asked().map((ids) => [...ids].sort())).toEqual([[1], [1, 2]])
  await answer(row(1, 1), row(2, 1))
  expect([lanes.takeAll().sort(), clock.pending]).toEqual([[1, 2], 0])
})

function sealedElsewhere() {
  const other = createSecretBox([new Uint8Array(32).fill(2)])
  return { sealed: other.seal(secret(1), 'toy-hook-1'), expiresAt: null }
}
