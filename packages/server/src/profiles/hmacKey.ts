import { createHash, hash } from 'node:crypto'

/** Block size and digest size of a hash, in bytes. */
const SIZES = {
  sha256: { block: 64, digest: 32 },
  sha512: { block: 128, digest: 64 },
} as const
type HashName = keyof typeof SIZES

const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MAX_UTF8_BYTES = 3

/**
 * A shared buffer for the hashed bytes: nothing is kept between calls, and allocating memory for each would cost more than its
 * hash.
 */
let scratch = Buffer.allocUnsafeSlow(16_384)
const outerScratch = {
  sha256: Buffer.allocUnsafeSlow(SIZES.sha256.block + SIZES.sha256.digest),
  sha512: Buffer.allocUnsafeSlow(SIZES.sha512.block + SIZES.sha512.digest),
}

/**
 * HMAC (RFC 2104) from two hashes. An `Hmac` of node:crypto is an object that has to be garbage-collected, and creating one
 * takes longer than both hashes of a request: 1.9 µs against 1.1 µs for 600 bytes.
 */
export class HmacKey {
  readonly #hash: HashName
  readonly #inner: Uint8Array
  readonly #outer: Uint8Array

  /** @param bytes of any length */
  constructor(hashName: HashName, bytes: Uint8Array) {
    const { block } = SIZES[hashName]
    const key = bytes.length > block ? createHash(hashName).update(bytes).digest() : bytes
    this.#hash = hashName
    this.#inner = paddedWith(INNER_PAD, key, block)
    this.#outer = paddedWith(OUTER_PAD, key, block)
  }

  /** @returns the HMAC of the UTF-8 bytes of `prefix` and then `body` */
  sign(prefix: string, body: string, encoding: 'base64' | 'hex'): string {
    const hashName = this.#hash
    const { block } = SIZES[hashName]
    const room = block + (prefix.length + body.length) * MAX_UTF8_BYTES
    if (scratch.length < room) scratch = Buffer.allocUnsafeSlow(room)
    scratch.set(this.#inner)
    let end = block
    end += scratch.write(prefix, end, 'utf8')
    end += scratch.write(body, end, 'utf8')
    const outer = outerScratch[hashName]
    outer.set(this.#outer)
    outer.write(hash(hashName, scratch.subarray(0, end), 'binary'), block, 'latin1')
    return hash(hashName, outer, encoding)
  }
}

function paddedWith(pad: number, key: Uint8Array, block: number): Uint8Array {
  const padded = new Uint8Array(block).fill(pad)
  for (const [at, byte] of key.entries()) padded[at] = byte ^ pad
  return padded
}
