import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** The PKCS #8 of an Ed25519 private key up to its seed (RFC 8410). */
const PKCS8_BEFORE_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')
export const SEED_BYTES = 32

/** An Ed25519 key pair (RFC 8032). */
export class Ed25519Key {
  readonly #privateKey: KeyObject

  /** @param seed 32 bytes */
  constructor(seed: Uint8Array) {
    const key = Buffer.concat([PKCS8_BEFORE_SEED, seed])
    this.#privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  }

  /** The 32 bytes that receivers verify with. */
  get publicKey(): Uint8Array {
    return Buffer.from(createPublicKey(this.#privateKey).export({ format: 'jwk' }).x!, 'base64url')
  }

  /** @returns the signature of the UTF-8 bytes of `prefix` and then `body` */
  sign(prefix: string, body: string, encoding: 'base64' | 'hex'): string {
    // Ed25519 reads the message twice, so node:crypto takes it as a whole.
    const message = Buffer.concat([Buffer.from(prefix, 'utf8'), Buffer.from(body, 'utf8')])
    return sign(null, message, this.#privateKey).toString(encoding)
  }
}
