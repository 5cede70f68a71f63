import { joinSignatures, type SignatureScheme, signedContentPrefix } from '@posthorn/receiver/schemes'
import type { SigningKey } from '../core/dialect.ts'

/**
 * The value of the signature header of one request.
 * @param fields `timestampSeconds` is when this attempt is signed
 * @param keys newest first; those beyond what the header may hold do not sign
 */
export function signatureHeader(
  scheme: SignatureScheme,
  fields: { readonly id: string; readonly timestampSeconds: number },
  body: string,
  keys: readonly SigningKey[],
): string {
  const prefix = signedContentPrefix(scheme, fields)
  const { prefix: entryPrefix, encoding, maxEntries } = scheme.signature
  const entries: string[] = []
  for (let i = 0; i < keys.length && i < maxEntries; i++) {
    entries.push(entryPrefix + keys[i]!.hmac(prefix, body, encoding))
  }
  return joinSignatures(scheme, entries)
}
