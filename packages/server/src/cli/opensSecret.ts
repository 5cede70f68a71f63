import { createSecretBox, SealError } from '../engine/secretBox.ts'
import type { Sealed } from '../storage/rows.ts'

/** Whether a master key is the one that a secret was sealed under. */
export function opensSecret(key: Uint8Array, { sealed, owner }: Sealed): boolean {
  try {
    createSecretBox(key).open(sealed, owner)
    return true
  } catch (error) {
    if (error instanceof SealError) return false
    throw error
  }
}
