import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { createResealer } from '../../src/engine/maintenance/resealer.ts'
import { checkOf, createSecretBox, type SecretBox } from '../../src/engine/secretBox.ts'
import { World } from '../storage/conformance/world.ts'
import { withCalls } from '../support/flatStorage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { TEST_STORES } from '../support/testStore.ts'
import { away, recordedLog } from './fakes.ts'

const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const old = createSecretBox([OLD])
const switched = createSecretBox([NEW, OLD])
const DONE = 'all signing secrets are encrypted with the current master key'
/** More than two steps. */
const SECRETS = 250

async function setUp(open: (typeof TEST_STORES)[number][1], box: SecretBox = switched, secrets = SECRETS) {
  const clock = new ManualClock()
  const { storage, remove } = await open(clock)
  onTestFinished(async () => {
    await storage.close()
    await remove()
  })
  const w = new World(storage)
  const workspace = await w.workspace()
  for (let i = 0; i < secrets; i++) {
    const publicId = w.name('wh_')
    await w.webhook(workspace, { publicId, sealedSecret: old.seal(publicId, publicId) })
  }
  await storage.keepKeyCheck({ check: checkOf(OLD) })
  const node = async (masterKeys = box.keyIds) =>
    (await storage.registerNode({ leaseMs: 60_000, masterKeys })).nodeId
  const log = recordedLog()
  const resealerOf = (nodeId: number, ofStore = storage) =>
    createResealer({
      storage: ofStore,
      secretBox: box,
      clock,
      log,
      failureLog: new FailureLog(clock, log),
      lease: { nodeId },
    })
  /** The number of secrets that one box can decrypt. */
  const opened = async (by: SecretBox) => {
    const { secrets: all } = await storage.readSealed({ afterId: 0, limit: 1_000 })
    return all.filter(({ sealed, owner }) => {
      try {
        return by.open(sealed, owner) === owner
      } catch {
        return false
      }
    }).length
  }
  return { w, clock, storage, node, log, resealerOf, opened }
}

const onlyNew = createSecretBox([NEW])

test.each(TEST_STORES)(
  'all secrets are re-encrypted with the current key, in steps, and the store records it: %s',
  async (_, open) => {
    const { storage, node, log, resealerOf, opened } = await setUp(open)
    const loop = resealerOf(await node())
    await loop.runOnce()
    const first = await opened(onlyNew)
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(SECRETS)
    // As after a kill: another loop begins at the first secret.
    const next = resealerOf((await storage.listNodes({}))[0]!.id)
    for (let step = 0; step < 10; step++) await next.runOnce()
    expect(await opened(onlyNew)).toBe(SECRETS)
    expect(Buffer.compare((await storage.readKeyCheck({}))!, checkOf(NEW))).toBe(0)
    expect(log.lines.filter(({ message }) => message === DONE)).toHaveLength(1)
  },
)

test.each(TEST_STORES)(
  'the earlier key is needed until idempotency records without a key id are gone: %s',
  async (_, open) => {
    const { w, clock, storage, node, resealerOf } = await setUp(open, switched, 2)
    const workspace = await w.workspace()
    const untilMs = 600_000
    const now = clock.now()
    await w.keyKeptForRepeats(workspace, old.seal('token', 'owner'), now + untilMs, now)
    const loop = resealerOf(await node())
    const noted = async () => Buffer.compare((await storage.readKeyCheck({}))!, checkOf(NEW)) === 0
    for (let step = 0; step < 4; step++) await loop.runOnce()
    expect(await noted()).toBe(false)
    clock.advance(untilMs)
    await loop.runOnce()
    expect(await noted()).toBe(true)
  },
)

test.each(TEST_STORES)('nothing is done while a node encrypts with another key: %s', async (_, open) => {
  const { storage, node, resealerOf, opened } = await setUp(open, switched, 3)
  const loop = resealerOf(await node())
  const other = await node([...switched.keyIds].reverse())
  for (let step = 0; step < 3; step++) await loop.runOnce()
  expect([await opened(onlyNew), await opened(old)]).toEqual([0, 3])
  await storage.retireNode({ nodeId: other })
  for (let step = 0; step < 3; step++) await loop.runOnce()
  expect(await opened(onlyNew)).toBe(3)
})

test.each(TEST_STORES)(
  'secrets encrypted later with the former key are found as well: %s',
  async (_, open) => {
    const { w, storage, node, resealerOf, opened } = await setUp(open, switched, 2)
    const loop = resealerOf(await node())
    for (let step = 0; step < 3; step++) await loop.runOnce()
    const late = await node([...switched.keyIds].reverse())
    await loop.runOnce()
    const publicId = w.name('wh_')
    const sealedSecret = createSecretBox([OLD, NEW]).seal(publicId, publicId)
    await w.webhook(await w.workspace(), { publicId, sealedSecret })
    await storage.retireNode({ nodeId: late })
    expect(await opened(onlyNew)).toBe(2)
    for (let step = 0; step < 3; step++) await loop.runOnce()
    expect(await opened(onlyNew)).toBe(3)
  },
)

test.each(TEST_STORES)(
  'one node does it, and another takes over when that one is gone: %s',
  async (_, open) => {
    const { storage, node, resealerOf, opened } = await setUp(open, switched, 3)
    const [first, second] = [await node(), await node()]
    const loop = resealerOf(second)
    await loop.runOnce()
    expect(await opened(onlyNew)).toBe(0)
    await storage.retireNode({ nodeId: first })
    await loop.runOnce()
    expect(await opened(onlyNew)).toBe(3)
  },
)

test.each(TEST_STORES)(
  'a store that fails in between loses nothing, and is scanned again: %s',
  async (_, open) => {
    const { storage, node, resealerOf, opened } = await setUp(open)
    let calls = 0
    const failing = withCalls(storage, {
      reseal: (params) => (++calls === 2 ? Promise.reject(away()) : storage.reseal(params)),
    })
    const loop = resealerOf(await node(), failing)
    for (let step = 0; step < 10; step++) await loop.runOnce()
    expect([await opened(switched), await opened(onlyNew)]).toEqual([SECRETS, SECRETS])
  },
)

test.each(TEST_STORES)(
  'a secret that no key decrypts is reported and stays, and the former key stays needed: %s',
  async (_, open) => {
    const { w, storage, node, log, resealerOf, opened } = await setUp(open, switched, 2)
    await w.webhook(await w.workspace(), { sealedSecret: createSecretBox([randomBytes(32)]).seal('x', 'x') })
    const loop = resealerOf(await node())
    for (let step = 0; step < 3; step++) await loop.runOnce()
    expect(await opened(onlyNew)).toBe(2)
    expect(log.lines.map(({ message }) => message)).toContain(
      'signing secrets are damaged, or encrypted with a master key that is not set',
    )
    expect(Buffer.compare((await storage.readKeyCheck({}))!, checkOf(OLD))).toBe(0)
  },
)
