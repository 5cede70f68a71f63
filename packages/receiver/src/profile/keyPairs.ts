import { ReceiverConfigurationError, WebhookVerificationError } from '../core/errors.ts'
import type { ImportedKey, Matcher } from '../core/keys.ts'

/** An Ed25519 signature hashes the whole body again, so a request must not ask for any number of them. */
const MAX_KEY_PAIR_CHECKS = 64

export function createKeyPairMatcher(keys: readonly Uint8Array[]): Matcher {
  let imported: ImportedKey[] | undefined
  return async (content, claimed) => {
    imported ??= await Promise.all(keys.map(importPublicKey))
    return matchesKeyPair(imported, content, claimed)
  }
}

async function importPublicKey(key: Uint8Array): Promise<ImportedKey> {
  try {
    return await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify'])
  } catch (cause) {
    throw new ReceiverConfigurationError(
      'web_crypto_unavailable',
      'The Web Crypto of this runtime cannot use the public key; it may not support Ed25519. Use Node 20 or later.',
      { cause },
    )
  }
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
      `Too many Ed25519 checks: ${claimed.length} signatures for ${keys.length} public keys; at most ${MAX_KEY_PAIR_CHECKS} combinations are tried.`,
    )
  }
  for (const key of keys) {
    for (const signature of claimed) {
      if (await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, content)) return true
    }
  }
  return false
}
