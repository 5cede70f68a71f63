import { createHmac, type KeyObject } from 'node:crypto'
import { joinSignatures, type SignatureScheme, signedContentPrefix } from '@posthorn/receiver/schemes'

/**
 * The value of the signature header of one request.
 *
 * node:crypto, since Web Crypto costs three times as much for bodies of this size; every fact is the scheme's.
 * @param fields `timestampSeconds` is when this attempt is signed
 * @param keys newest first; those beyond what the header may hold do not sign
 */
export function signatureHeader(
  scheme: SignatureScheme,
  fields: { readonly id: string; readonly timestampSeconds: number },
  body: string,
  keys: readonly KeyObject[],
): string {
  const prefix = signedContentPrefix(scheme, fields)
  const { prefix: entryPrefix, encoding, maxEntries } = scheme.signature
  const entries = keys
    .slice(0, maxEntries)
    .map(
      (key) => entryPrefix + createHmac('sha256', key).update(prefix).update(body, 'utf8').digest(encoding),
    )
  return joinSignatures(scheme, entries)
}
