/** First byte of a ciphertext without the id of its key, as in stores that never had a second key. */
export const WITHOUT_KEY_ID = 1
/** First byte of a ciphertext with the id, which follows. */
export const WITH_KEY_ID = 2
export const KEY_ID_BYTES = 8

/** @param check of the key @returns the id of a key, 16 hex digits */
export const keyIdOf = (check: Uint8Array): string =>
  Buffer.from(check.subarray(0, KEY_ID_BYTES)).toString('hex')

/** The master keys that a node has. */
export interface KeyRing {
  /** Their ids. The first is that of the current key, which encrypts. */
  readonly keyIds: readonly string[]
  /** Whether ciphertexts name their key. Release 0.1 cannot read such ciphertexts. */
  readonly writesKeyIds: boolean
}

export interface NodeWithKeys {
  readonly id: number
  readonly alive: boolean
  /** The current one first; `null`: the node runs an earlier release, which has one key. */
  readonly masterKeys: readonly string[] | null
}

/**
 * Checks that every node can decrypt what any other encrypts.
 * @param self its own id; `null`: it has not registered yet
 * @returns why a node must not start beside the others, in one line for the operator; `null`: it may
 */
export function keyConflict(
  { keyIds, writesKeyIds }: KeyRing,
  nodes: readonly NodeWithKeys[],
  self: number | null,
): string | null {
  const [current] = keyIds
  for (const { id, alive, masterKeys } of nodes) {
    if (!alive || id === self) continue
    if (masterKeys === null) {
      if (!writesKeyIds) continue
      return `POSTHORN_MASTER_KEY: node ${id} runs an earlier release, which supports only one key. Upgrade all nodes before you set more than one`
    }
    if (!masterKeys.includes(current!))
      return `POSTHORN_MASTER_KEY: node ${id} does not have the key ${current}. Add it after the current key of every node before you put it first`
    if (!keyIds.includes(masterKeys[0]!))
      return `POSTHORN_MASTER_KEY: node ${id} encrypts with the key ${masterKeys[0]}, which this node does not have. Add it on this node`
  }
  return null
}
