import { createHash, hash } from 'node:crypto'
import type { SigningKey } from '../../core/dialect.ts'

/** Of SHA-256. */
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** A UTF-16 unit becomes so many bytes of UTF-8 at most. */
const MAX_UTF8_BYTES = 3

/** What is hashed stands in here: nothing is kept between calls, and memory for each would cost more than its hash. */
let scratch = Buffer.allocUnsafeSlow(16_384)
const outerScratch = Buffer.allocUnsafeSlow(BLOCK_BYTES + DIGEST_BYTES)

/**
 * HMAC-SHA256 (RFC 2104) from two hashes. An `Hmac` of node:crypto is an object that the collector has to clear away,
 * and for what a request signs making one takes longer than both hashes: 1.9 µs against 1.1 for 600 bytes.
 */
export class HmacKey implements SigningKey {
  readonly #inner: Uint8Array
  readonly #outer: Uint8Array

  /** @param bytes of any length */
  constructor(bytes: Uint8Array) {
    const key = bytes.length > BLOCK_BYTES ? createHash('sha256').update(bytes).digest() : bytes
    this.#inner = paddedWith(INNER_PAD, key)
    this.#outer = paddedWith(OUTER_PAD, key)
  }

  hmac(prefix: string, body: string, encoding: 'base64' | 'base64url' | 'hex'): string {
    const room = BLOCK_BYTES + (prefix.length + body.length) * MAX_UTF8_BYTES
    if (scratch.length < room) scratch = Buffer.allocUnsafeSlow(room)
    scratch.set(this.#inner)
    let end = BLOCK_BYTES
    end += scratch.write(prefix, end, 'utf8')
    end += scratch.write(body, end, 'utf8')
    outerScratch.set(this.#outer)
    outerScratch.write(hash('sha256', scratch.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1')
    return hash('sha256', outerScratch, encoding)
  }
}

function paddedWith(pad: number, key: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES).fill(pad)
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad
  return block
}
