import { ReceiverConfigurationError, WebhookVerificationError } from './errors.ts'
import { ALGORITHMS, type Algorithm } from './profile/parts.ts'

type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Whether any of the claimed signatures is one of the content under any of the keys. */
export type Matcher = (content: Uint8Array, claimed: readonly Uint8Array[]) => Promise<boolean>

/** An Ed25519 signature hashes the whole body again, so a request must not ask for any number of them. */
const MAX_KEY_PAIR_CHECKS = 64

/**
 * Keys are imported at the first use and not at creation, since Workers refuse asynchronous work in the global
 * scope, where receivers are created. The keys are kept and not their promise, which in a Worker belongs to the
 * request that made it.
 */
export function createMatcher(algorithm: Algorithm, keys: readonly Uint8Array[]): Matcher {
  const { hash } = ALGORITHMS[algorithm]
  const importKey = hash === null ? importPublicKey : (key: Uint8Array) => importHmacKey(hash, key)
  const matches = hash === null ? matchesKeyPair : matchesHmac
  let imported: ImportedKey[] | undefined
  return async (content, claimed) => {
    imported ??= await Promise.all(keys.map(importKey))
    return matches(imported, content, claimed)
  }
}

function importHmacKey(hash: string, key: Uint8Array): Promise<ImportedKey> {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign', 'verify'])
}

async function importPublicKey(key: Uint8Array): Promise<ImportedKey> {
  try {
    return await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify'])
  } catch (cause) {
    throw new ReceiverConfigurationError(
      'web_crypto_unavailable',
      'The Web Crypto of this runtime cannot use the public key: it may lack Ed25519. Node 20 has it.',
      { cause },
    )
  }
}

async function matchesHmac(
  keys: readonly ImportedKey[],
  content: Uint8Array,
  claimed: readonly Uint8Array[],
): Promise<boolean> {
  const matches = await Promise.all(keys.map((key) => countMatches(key, content, claimed)))
  return matches.reduce((sum, count) => sum + count, 0) > 0
}

/**
 * Compares in constant time, twice over: `verify` is the platform's own constant-time compare, and what it compares
 * are HMACs of the MACs under the secret key, whose bytes no sender can predict or steer. Every claimed MAC is
 * compared, whether an earlier one matched or not. The body is hashed once per key, so that a header full of entries
 * costs no more than a few short hashes.
 */
async function countMatches(
  key: ImportedKey,
  content: Uint8Array,
  claimed: readonly Uint8Array[],
): Promise<number> {
  const expected = await crypto.subtle.sign('HMAC', key, content)
  const blinded = await crypto.subtle.sign('HMAC', key, expected)
  const matches = await Promise.all(claimed.map((mac) => crypto.subtle.verify('HMAC', key, blinded, mac)))
  return matches.filter(Boolean).length
}

/** Nothing here is secret, so the first match ends it. */
async function matchesKeyPair(
  keys: readonly ImportedKey[],
  content: Uint8Array,
  claimed: readonly Uint8Array[],
): Promise<boolean> {
  if (keys.length * claimed.length > MAX_KEY_PAIR_CHECKS) {
    throw new WebhookVerificationError(
      'signature_too_many_entries',
      `${claimed.length} Ed25519 signatures came for ${keys.length} public keys; at most ${MAX_KEY_PAIR_CHECKS} pairs are tried.`,
    )
  }
  for (const key of keys) {
    for (const signature of claimed) {
      if (await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, content)) return true
    }
  }
  return false
}
