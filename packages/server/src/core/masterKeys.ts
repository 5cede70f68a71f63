/** First byte of what is sealed without the id of its key, as in stores that never had a second one. */
export const WITHOUT_KEY_ID = 1
/** First byte of what is sealed with it; the id follows. */
export const WITH_KEY_ID = 2
export const KEY_ID_BYTES = 8

/** @param check of the key @returns the id of a key, 16 hex digits */
export const keyIdOf = (check: Uint8Array): string =>
  Buffer.from(check.subarray(0, KEY_ID_BYTES)).toString('hex')

/** The master keys that a node has. */
export interface KeyRing {
  /** Their ids; the first is of the current one, which encrypts. */
  readonly keyIds: readonly string[]
  /** Whether the node seals with the id of the key, which programs of release 0.1 cannot open. */
  readonly writesKeyIds: boolean
}

export interface NodeWithKeys {
  readonly id: number
  readonly alive: boolean
  /** The current one first; `null`: the node is of a release that did not note this, and has one key. */
  readonly masterKeys: readonly string[] | null
}

/**
 * Every node must be able to decrypt what any other encrypts.
 * @param self its own id; `null`: it has not registered yet
 * @returns why a node may not work beside the others, in one line for the operator; `null`: it may
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
      return `POSTHORN_MASTER_KEY: node ${id} is of an earlier release, which knows one key. Upgrade all nodes before you set several`
    }
    if (!masterKeys.includes(current!))
      return `POSTHORN_MASTER_KEY: node ${id} does not have the key ${current}. Add it behind the current key of every node before you put it first`
    if (!keyIds.includes(masterKeys[0]!))
      return `POSTHORN_MASTER_KEY: node ${id} encrypts under the key ${masterKeys[0]}, which this node does not have. Add it`
  }
  return null
}
