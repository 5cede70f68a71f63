import { keyConflict, keyIdOf } from '../core/masterKeys.ts'
import { byKey, countSecrets } from '../engine/manage/masterKeys.ts'
import { checkOf, createSecretBox, SealError, type SecretBox } from '../engine/secretBox.ts'
import type { Sealed } from '../storage/rows.ts'
import type { KeyFacts } from '../storage/sqlite/storeFacts.ts'
import { type Storage, StoreOpenError } from '../storage/storage.ts'
import { numberOf } from './words.ts'

/** The current master key, which encrypts, then keys that only decrypt. 32 bytes each. */
export type MasterKeys = readonly [Uint8Array, ...Uint8Array[]]

/** Secrets counted in one step. Nothing else uses the store at the start. */
const COUNTED_AT_ONCE = 50_000

const idOf = (key: Uint8Array): string => keyIdOf(checkOf(key))

/** @returns the key that a secret is encrypted under */
function keyThatOpens(keys: MasterKeys, { sealed, owner }: Sealed): Uint8Array | undefined {
  return keys.find((key) => {
    try {
      createSecretBox([key]).open(sealed, owner)
      return true
    } catch (error) {
      if (error instanceof SealError) return false
      throw error
    }
  })
}

/** @returns a key that the store needs and that is not among these, in words; `null`: none is missing */
export function missingKey(keys: MasterKeys, { newestSecret, keyCheck, keyIds }: KeyFacts): string | null {
  const known = keys.map(idOf)
  const needed = keyCheck === null || newestSecret === null ? keyIds : [...keyIds, keyIdOf(keyCheck)]
  const missing = needed.find((id) => !known.includes(id))
  if (missing !== undefined) return `the key ${missing}`
  if (keyCheck !== null || newestSecret === null || keyThatOpens(keys, newestSecret) !== undefined)
    return null
  return 'the one'
}

/** @returns the store's record of the key of secrets that do not name theirs */
export function checkKept(keys: MasterKeys, { newestSecret, keyCheck }: KeyFacts): Uint8Array {
  return keyCheck ?? checkOf((newestSecret && keyThatOpens(keys, newestSecret)) ?? keys[0])
}

export interface KeyedStore {
  readonly storage: Pick<Storage, 'masterKeys' | 'nodes'>
  /** The newest secret, if the store may not have recorded its key yet. */
  readonly newestSecret: Sealed | null
  /** The message about a store that belongs to another key. @param needs such as " (4 signing secrets need the key 1f…)" */
  readonly otherKey: (needs: string) => string
  /** Whether a store without secrets may be used with any key. */
  readonly takesAnyWhenEmpty: boolean
}

/**
 * Checks, whenever a store is opened, that this node can decrypt all secrets, and other nodes what this one encrypts.
 * @throws StoreOpenError (rejects) with one line for the operator
 */
export async function openWithKeys(keys: MasterKeys, store: KeyedStore): Promise<SecretBox> {
  const { storage, otherKey } = store
  const kept = await keepCheck(keys, store)
  const counts = await countSecrets(storage.masterKeys, COUNTED_AT_ONCE)
  const known = keys.map(idOf)
  const ofKept = keyIdOf(kept)
  const missing = Array.from(byKey(counts, ofKept)).find(([keyId]) => !known.includes(keyId))
  if (missing !== undefined) {
    const [keyId, count] = missing
    const needs = ` (${count === 1 ? '1 signing secret needs' : `${numberOf(count)} signing secrets need`} the key ${keyId})`
    throw new StoreOpenError(
      known.includes(ofKept)
        ? `POSTHORN_MASTER_KEY: the store still needs a key that is not set${needs}. Add it after the current key. Remove it once posthorn master-key status shows that nothing is encrypted with it`
        : otherKey(needs),
    )
  }
  if (!known.includes(ofKept)) {
    if (!store.takesAnyWhenEmpty) throw new StoreOpenError(otherKey(''))
    await storage.masterKeys.replaceKeyCheck({ check: checkOf(keys[0]) })
  }
  const writesKeyIds = keys.length > 1 || counts.some(({ keyId }) => keyId !== null)
  const secretBox = createSecretBox(keys, { writesKeyIds })
  const conflict = keyConflict(secretBox, await storage.nodes.listNodes({}), null)
  if (conflict !== null) throw new StoreOpenError(conflict)
  if (writesKeyIds) await storage.masterKeys.requireKeyIds({})
  return secretBox
}

async function keepCheck(
  keys: MasterKeys,
  { storage, newestSecret, otherKey }: KeyedStore,
): Promise<Uint8Array> {
  const noted = await storage.masterKeys.readKeyCheck({})
  if (noted !== null) return noted
  const key = newestSecret === null ? keys[0] : keyThatOpens(keys, newestSecret)
  if (key === undefined) throw new StoreOpenError(otherKey(''))
  return storage.masterKeys.keepKeyCheck({ check: checkOf(key) })
}
