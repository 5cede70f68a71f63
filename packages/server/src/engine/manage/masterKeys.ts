import { keyIdOf } from '../../core/masterKeys.ts'
import type { RegisteredNode, SealedCount, Storage } from '../../storage/storage.ts'

/** @param atOnce secrets counted in one step */
export async function countSecrets(
  storage: Pick<Storage['masterKeys'], 'countSealed'>,
  atOnce: number,
): Promise<readonly SealedCount[]> {
  const parts: SealedCount[] = []
  let afterId = 0
  do {
    const { counts, nextAfterId } = await storage.countSealed({ afterId, limit: atOnce })
    parts.push(...counts)
    afterId = nextAfterId
  } while (afterId > 0)
  return Array.from(sumsOf(parts), ([keyId, count]) => ({ keyId, count }))
}

/** @param unnamed the key of ciphertexts that name none */
export function byKey(counts: readonly SealedCount[], unnamed: string): ReadonlyMap<string, number> {
  return sumsOf(counts.map(({ keyId, count }) => ({ keyId: keyId ?? unnamed, count })))
}

function sumsOf<Id>(
  counts: readonly { readonly keyId: Id; readonly count: number }[],
): ReadonlyMap<Id, number> {
  const sums = new Map<Id, number>()
  for (const { keyId, count } of counts) sums.set(keyId, (sums.get(keyId) ?? 0) + count)
  return sums
}

/** The state of one master key. */
export interface MasterKeyState {
  readonly keyId: string
  /** Whether this node encrypts under it. */
  readonly current: boolean
  readonly signingSecrets: number
  /** Secrets kept for repeated requests, and sign-in links waiting to be e-mailed: they are gone within minutes. */
  readonly shortLived: number
  /** Whether no node and no stored secret needs it any more. */
  readonly removable: boolean
}

/** Secrets counted in one step: the store serves deliveries in between. */
const COUNTED_AT_ONCE = 5_000

/** What the states are read from. */
export interface KeyStateStorage {
  readonly masterKeys: Pick<Storage['masterKeys'], 'readKeyCheck' | 'countSealed' | 'countShortLived'>
  readonly nodes: Pick<Storage['nodes'], 'listNodes'>
}

export async function readMasterKeyStates(
  storage: KeyStateStorage,
  keyIds: readonly string[],
  now: number,
): Promise<{ readonly keys: readonly MasterKeyState[]; readonly nodes: readonly RegisteredNode[] }> {
  // Nodes first, so that a node that ends while secrets are counted is included.
  const nodes = (await storage.nodes.listNodes({})).filter(({ alive }) => alive)
  const check = await storage.masterKeys.readKeyCheck({})
  const unnamed = check === null ? keyIds[0]! : keyIdOf(check)
  const secrets = byKey(await countSecrets(storage.masterKeys, COUNTED_AT_ONCE), unnamed)
  const shortLived = byKey(await storage.masterKeys.countShortLived({ now }), unnamed)
  const ids = new Set([
    ...keyIds,
    ...nodes.flatMap(({ masterKeys }) => masterKeys ?? []),
    ...secrets.keys(),
    ...shortLived.keys(),
  ])
  const inUse = new Set([keyIds[0], unnamed, ...nodes.flatMap(({ masterKeys }) => masterKeys?.[0] ?? [])])
  const keys = Array.from(ids, (keyId) => {
    const counts = { signingSecrets: secrets.get(keyId) ?? 0, shortLived: shortLived.get(keyId) ?? 0 }
    const removable = !inUse.has(keyId) && counts.signingSecrets + counts.shortLived === 0
    return { keyId, current: keyId === keyIds[0], ...counts, removable }
  })
  return { keys, nodes }
}
