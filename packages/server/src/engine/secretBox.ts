import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { KEY_ID_BYTES, type KeyRing, keyIdOf, WITH_KEY_ID, WITHOUT_KEY_ID } from '../core/masterKeys.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

/** Tells keys apart and says nothing about them: they are 32 random bytes. */
export function checkOf(masterKey: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash('sha256').update('posthorn master key').update(masterKey).digest())
}

/** The master key does not open what the store holds: it was changed, or the data came from elsewhere. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/**
 * Encrypts secrets at rest: AES-256-GCM, bound to their owner, such as a webhook. What is sealed begins with the version of its form
 * and, in version 2, the id of the key; the nonce, the tag and the ciphertext follow.
 */
export interface SecretBox extends KeyRing {
  /** @param owner such as the public id of a webhook; opening under another owner fails, so that rows cannot be swapped */
  readonly seal: (secret: string, owner: string) => Uint8Array
  /** @throws SealError */
  readonly open: (sealed: Uint8Array, owner: string) => string
  /** Whether something is sealed under the current key and names it. */
  readonly isCurrent: (sealed: Uint8Array) => boolean
  /** Tells the current key apart from others; see {@link checkOf}. */
  readonly keyCheck: Uint8Array
}

/**
 * @param masterKeys 32 bytes each; the first seals, all of them open
 * @param options.writesKeyIds also with a single key: the store has had several
 */
export function createSecretBox(
  masterKeys: readonly [Uint8Array, ...Uint8Array[]],
  options: Partial<Pick<KeyRing, 'writesKeyIds'>> = {},
): SecretBox {
  const keys = masterKeys.map((key) => ({ key, id: keyIdOf(checkOf(key)) }))
  const [current] = masterKeys
  const keyCheck = checkOf(current)
  const writesKeyIds = options.writesKeyIds ?? masterKeys.length > 1
  const head = headOf(keyCheck)
  const headWritten = writesKeyIds ? head : Uint8Array.of(WITHOUT_KEY_ID)

  function candidatesFor(sealed: Uint8Array, owner: string): readonly Uint8Array[] {
    if (sealed[0] === WITHOUT_KEY_ID) return masterKeys
    const id = Buffer.from(sealed.subarray(1, 1 + KEY_ID_BYTES)).toString('hex')
    const found = keys.find((one) => one.id === id)
    if (found === undefined)
      throw new SealError(
        `the secret of ${owner} needs the master key ${id}, which is not in POSTHORN_MASTER_KEY`,
      )
    return [found.key]
  }

  return {
    keyIds: keys.map(({ id }) => id),
    writesKeyIds,
    keyCheck,
    isCurrent: (sealed) => Buffer.compare(sealed.subarray(0, head.length), head) === 0,
    seal: (secret, owner) => encrypt(current, headWritten, secret, owner),
    open(sealed, owner) {
      const body = bodyOf(sealed)
      if (body === null)
        throw new SealError(`the secret of ${owner} is stored in a form that this release does not support`)
      let cause: unknown
      for (const key of candidatesFor(sealed, owner))
        try {
          return decrypt(key, body, owner)
        } catch (error) {
          cause = error
        }
      throw new SealError(`POSTHORN_MASTER_KEY does not decrypt the secret of ${owner}`, { cause })
    },
  }
}

function headOf(keyCheck: Uint8Array): Uint8Array {
  return Uint8Array.of(WITH_KEY_ID, ...keyCheck.subarray(0, KEY_ID_BYTES))
}

function encrypt(key: Uint8Array, head: Uint8Array, secret: string, owner: string): Uint8Array {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Uint8Array.from(Buffer.concat([head, iv, cipher.getAuthTag(), text]))
}

/** @returns what follows the version and the id of the key; `null` when this is nothing that was sealed */
function bodyOf(sealed: Uint8Array): Uint8Array | null {
  const headBytes =
    sealed[0] === WITHOUT_KEY_ID ? 1 : sealed[0] === WITH_KEY_ID ? 1 + KEY_ID_BYTES : Number.POSITIVE_INFINITY
  return sealed.length < headBytes + IV_BYTES + TAG_BYTES ? null : sealed.subarray(headBytes)
}

function decrypt(key: Uint8Array, body: Uint8Array, owner: string): string {
  const iv = body.subarray(0, IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(body.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const text = decipher.update(body.subarray(IV_BYTES + TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}
