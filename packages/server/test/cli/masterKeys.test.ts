import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkKept, type MasterKeys, missingKey, openWithKeys } from '../../src/cli/masterKeys.ts'
import { systemClock } from '../../src/core/clock.ts'
import { keyIdOf } from '../../src/core/masterKeys.ts'
import { checkOf, createSecretBox, type SecretBox } from '../../src/engine/secretBox.ts'
import { World } from '../storage/conformance/world.ts'
import type { FlatStorage } from '../support/flatStorage.ts'
import { TEST_STORES } from '../support/testStore.ts'

const [OLD, NEW, THIRD] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const idOf = (key: Uint8Array) => keyIdOf(checkOf(key))
const old = createSecretBox([OLD])
const switched = createSecretBox([NEW, OLD])

describe.each(TEST_STORES)('a store on %s', (_, open) => {
  async function store() {
    const { storage, remove } = await open(systemClock)
    onTestFinished(async () => {
      await storage.close()
      await remove()
    })
    const w = new World(storage)
    const workspace = await w.workspace()
    const add = async (box: SecretBox) => {
      const publicId = w.name('wh_')
      await w.webhook(workspace, { publicId, sealedSecret: box.seal('secret', publicId) })
    }
    return { storage, add }
  }

  const openWith = (storage: FlatStorage, keys: MasterKeys, takesAnyWhenEmpty = false) =>
    openWithKeys(keys, {
      storage,
      newestSecret: null,
      otherKey: (needs) => `made under another key${needs}`,
      takesAnyWhenEmpty,
    })

  test('is opened with its first key', async () => {
    const { storage, add } = await store()
    expect((await openWith(storage, [OLD])).writesKeyIds).toBe(false)
    await add(old)
    await openWith(storage, [OLD])
    await openWith(storage, [OLD, NEW])
    expect((await openWith(storage, [NEW, OLD])).keyIds).toEqual([idOf(NEW), idOf(OLD)])
    await expect(openWith(storage, [NEW])).rejects.toThrow(
      `made under another key (1 signing secret needs the key ${idOf(OLD)})`,
    )
  })

  test('is not opened without a key that secrets still need, and the error says which and how many', async () => {
    const { storage, add } = await store()
    await openWith(storage, [OLD])
    for (const box of [old, switched, switched]) await add(box)
    await expect(openWith(storage, [OLD])).rejects.toThrow(
      /^POSTHORN_MASTER_KEY: the store still needs a key that is not set \(2 signing secrets need the key /,
    )
    await expect(openWith(storage, [THIRD, NEW])).rejects.toThrow(
      `1 signing secret needs the key ${idOf(OLD)}`,
    )
    await storage.replaceKeyCheck({ check: checkOf(NEW) })
    expect((await openWith(storage, [NEW, OLD])).writesKeyIds).toBe(true)
  })

  test('continues to name the key in secrets once it has had two', async () => {
    const { storage, add } = await store()
    await openWith(storage, [NEW])
    await add(switched)
    expect((await openWith(storage, [NEW])).writesKeyIds).toBe(true)
  })

  test('without secrets is opened with another key only where allowed', async () => {
    const { storage } = await store()
    await openWith(storage, [OLD])
    await expect(openWith(storage, [NEW])).rejects.toThrow(/^made under another key$/)
    await openWith(storage, [NEW], true)
    await openWith(storage, [NEW])
  })

  test('is not opened next to a node that could not decrypt new secrets', async () => {
    const { storage } = await store()
    await openWith(storage, [OLD])
    await storage.registerNode({ leaseMs: 60_000, masterKeys: old.keyIds })
    await openWith(storage, [OLD, NEW])
    await expect(openWith(storage, [NEW, OLD])).rejects.toThrow(/node \d+ does not have the key/)
  })
})

describe('of a file', () => {
  const newestSecret = { sealed: old.seal('secret', 'wh_1'), owner: 'wh_1' }
  const noted = { newestSecret, keyCheck: checkOf(OLD), keyIds: [idOf(NEW)] }

  test('the message names the missing key', () => {
    expect(missingKey([OLD], { newestSecret: null, keyCheck: null, keyIds: [] })).toBeNull()
    expect(missingKey([OLD], { newestSecret, keyCheck: null, keyIds: [] })).toBeNull()
    expect(missingKey([NEW], { newestSecret, keyCheck: null, keyIds: [] })).toBe('the one')
    expect(missingKey([NEW, OLD], noted)).toBeNull()
    expect(missingKey([OLD], noted)).toBe(`the key ${idOf(NEW)}`)
    expect(missingKey([NEW], noted)).toBe(`the key ${idOf(OLD)}`)
  })

  test('the recorded key moves with the store; without a record, the key that decrypts its secrets', () => {
    expect(checkKept([NEW, OLD], noted)).toEqual(checkOf(OLD))
    expect(checkKept([NEW, OLD], { ...noted, keyCheck: null })).toEqual(checkOf(OLD))
    expect(checkKept([NEW, OLD], { newestSecret: null, keyCheck: null, keyIds: [] })).toEqual(checkOf(NEW))
  })
})
