import type { SignatureScheme } from './schemes.ts'

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Whether any of the claimed MACs is that of the content under any of the keys. */
export type MacMatcher = (content: Uint8Array, claimedMacs: readonly Uint8Array[]) => Promise<boolean>

/**
 * Keys are imported at the first use and not at creation, since Workers refuse asynchronous work in the global
 * scope, where receivers are created. The keys are kept and not their promise, which in a Worker belongs to the
 * request that made it.
 */
export function createMacMatcher(scheme: SignatureScheme, keys: readonly Uint8Array[]): MacMatcher {
  let imported: HmacKey[] | undefined
  return async (content, claimedMacs) => {
    imported ??= await Promise.all(keys.map((key) => importKey(scheme, key)))
    const matches = await Promise.all(imported.map((key) => countMatches(key, content, claimedMacs)))
    return matches.reduce((sum, count) => sum + count, 0) > 0
  }
}

function importKey(scheme: SignatureScheme, key: Uint8Array): Promise<HmacKey> {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: scheme.hash }, false, ['sign', 'verify'])
}

/**
 * Compares in constant time, twice over: `verify` is the platform's own constant-time compare, and what it compares
 * are HMACs of the MACs under the secret key, whose bytes no sender can predict or steer. Every claimed MAC is
 * compared, whether an earlier one matched or not. The body is hashed once per key, so that a header full of entries
 * costs no more than a few short hashes.
 */
async function countMatches(
  key: HmacKey,
  content: Uint8Array,
  claimedMacs: readonly Uint8Array[],
): Promise<number> {
  const expected = await crypto.subtle.sign('HMAC', key, content)
  const blinded = await crypto.subtle.sign('HMAC', key, expected)
  const matches = await Promise.all(
    claimedMacs.map((claimed) => crypto.subtle.verify('HMAC', key, blinded, claimed)),
  )
  return matches.filter(Boolean).length
}
