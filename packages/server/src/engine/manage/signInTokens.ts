import type { SecretBox } from '../secretBox.ts'

/** The token of a sign-in link that waits to be e-mailed. It decrypts only for its address. */
export function sealSignInToken(secretBox: SecretBox, token: string, toEmail: string): Uint8Array {
  return secretBox.seal(token, ownerOf(toEmail))
}

/** @throws SealError */
export function openSignInToken(secretBox: SecretBox, sealed: Uint8Array, toEmail: string): string {
  return secretBox.open(sealed, ownerOf(toEmail))
}

function ownerOf(toEmail: string): string {
  return `sign-in link of ${toEmail}`
}
