import { createSecretBox, SealError } from '../engine/secretBox.ts'
import type { Sealed } from '../storage/rows.ts'

/** Whether a master key is the one that a secret was sealed under. @param secret `null`: there is none, so that any key will do */
export function opensSecret(key: Uint8Array, secret: Sealed | null): boolean {
  if (secret === null) return true
  const { sealed, owner } = secret
  try {
    createSecretBox(key).open(sealed, owner)
    return true
  } catch (error) {
    if (error instanceof SealError) return false
    throw error
  }
}
