import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** The master key does not open what the store holds: it was changed, or the data came from elsewhere. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/** Encrypts secrets at rest: AES-256-GCM, bound to their owner, such as a webhook. */
export interface SecretBox {
  /** @param owner such as the public id of a webhook; opening under another owner fails, so that rows cannot be swapped */
  readonly seal: (secret: string, owner: string) => Uint8Array
  /** @throws SealError */
  readonly open: (sealed: Uint8Array, owner: string) => string
}

/** @param masterKey 32 bytes */
export function createSecretBox(masterKey: Uint8Array): SecretBox {
  return {
    seal(secret, owner) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(Buffer.from(owner))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Uint8Array.from(Buffer.concat([Uint8Array.of(VERSION), iv, cipher.getAuthTag(), text]))
    },
    open(sealed, owner) {
      if (sealed[0] !== VERSION || sealed.length < 1 + IV_BYTES + TAG_BYTES) {
        throw new SealError(`the secret of ${owner} is stored in a form this version does not know`)
      }
      const iv = sealed.subarray(1, 1 + IV_BYTES)
      const tag = sealed.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', masterKey, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(tag)
      try {
        const text = decipher.update(sealed.subarray(1 + IV_BYTES + TAG_BYTES))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new SealError(`POSTHORN_MASTER_KEY does not open the secret of ${owner}`, { cause })
      }
    },
  }
}
