export type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Whether any of the claimed signatures is one of the content under any of the keys. */
export type Matcher = (content: Uint8Array, claimed: readonly Uint8Array[]) => Promise<boolean>

/**
 * Keys are imported at the first use and not at creation, since Workers refuse asynchronous work in the global
 * scope, where receivers are created. The keys are kept and not their promise, which in a Worker belongs to the
 * request that made it.
 */
export function createHmacMatcher(hash: string, keys: readonly Uint8Array[]): Matcher {
  let imported: ImportedKey[] | undefined
  return async (content, claimed) => {
    const { subtle } = crypto
    const algorithm = { name: 'HMAC', hash }
    imported ??= await Promise.all(
      keys.map((key) => subtle.importKey('raw', key, algorithm, false, ['sign', 'verify'])),
    )
    // Compares in constant time, twice over: `verify` is the platform's own constant-time compare, and what it compares are
    // HMACs of the MACs under the secret key, whose bytes no sender can predict or steer. Every claimed MAC is compared,
    // whether an earlier one matched or not. The body is hashed once per key, so that a header full of entries costs no more
    // than a few short hashes.
    const matches = await Promise.all(
      imported.map(async (key) => {
        const blinded = await subtle.sign('HMAC', key, await subtle.sign('HMAC', key, content))
        return Promise.all(claimed.map((mac) => subtle.verify('HMAC', key, blinded, mac)))
      }),
    )
    return matches.flat().some(Boolean)
  }
}
