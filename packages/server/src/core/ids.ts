/**
 * Public ids of events and deliveries, derived from integer row ids.
 *
 * The store uses integer keys: text or blob keys make every write a third more expensive. A derived id needs no column and no
 * index. It is a UUIDv7 with the row's creation time; the other 74 bits are the row id and a check, scrambled under a key of
 * the store, so that ids do not show how many rows there are. Scrambling is not encryption: every lookup still checks
 * permissions.
 */

/** Key of the scrambling: four 32-bit words, made once when a store is created. */
export type IdKey = readonly [number, number, number, number]

/** @param bytes 16 of them, as stores keep the key */
export function toIdKey(bytes: Uint8Array): IdKey {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)]
}

/** The two kinds of row whose ids are derived; equal row ids of different kinds look unrelated. */
export type DerivedKind = 'event' | 'delivery'

export interface RowRef {
  readonly rowId: number
  /** Unix ms; the id carries it, so it must never change. */
  readonly createdAt: number
}

const KIND_SALT: Record<DerivedKind, number> = { event: 0x65766e74, delivery: 0x646c7672 }
const MASK_31 = 0x7fffffff
const TWO_31 = 0x80000000
const TWO_32 = 0x100000000
const ROUNDS = 4

/** @returns the 16 bytes of the UUIDv7 for a row. */
export function deriveId(kind: DerivedKind, ref: RowRef, key: IdKey): Uint8Array {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(ref.createdAt / TWO_32))
  view.setUint32(2, ref.createdAt % TWO_32)
  const [high, low] = scramble(kind, Math.floor(ref.rowId / TWO_31), ref.rowId % TWO_31, key)
  view.setUint16(6, 0x7000 | checkBits(kind, ref, key))
  // 62 bits after the variant: 31 high, 31 low.
  view.setUint32(8, (0x80000000 | (high >>> 1)) >>> 0)
  view.setUint32(12, (((high & 1) << 31) | low) >>> 0)
  return bytes
}

/** @returns the row that `bytes` was derived from, or `null` when this store never made such an id. */
export function resolveId(kind: DerivedKind, bytes: Uint8Array, key: IdKey): RowRef | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const createdAt = view.getUint16(0) * TWO_32 + view.getUint32(2)
  const upper = view.getUint32(8)
  if (upper >>> 30 !== 2) return null
  const lower = view.getUint32(12)
  const high = (((upper & 0x3fffffff) << 1) | (lower >>> 31)) >>> 0
  const [a, b] = unscramble(kind, high, lower & MASK_31, key)
  const rowId = a * TWO_31 + b
  if (!Number.isSafeInteger(rowId)) return null
  const ref = { rowId, createdAt }
  return view.getUint16(6) === (0x7000 | checkBits(kind, ref, key)) ? ref : null
}

function checkBits(kind: DerivedKind, ref: RowRef, key: IdKey): number {
  // All 48 bits of the time: those left out could be changed freely, and one row would answer to many ids.
  const time = mix(
    mix(Math.floor(ref.createdAt / TWO_32)) ^ (ref.createdAt % TWO_32) ^ key[3] ^ KIND_SALT[kind],
  )
  return mix(time ^ (ref.rowId % TWO_32) ^ Math.floor(ref.rowId / TWO_32)) & 0xfff
}

// A Feistel network over two 31-bit halves: whatever the round function is, it can be undone.
function scramble(kind: DerivedKind, high: number, low: number, key: IdKey): [number, number] {
  let [left, right] = [high, low]
  for (let round = 0; round < ROUNDS; round++) {
    ;[left, right] = [right, left ^ roundOf(kind, right, round, key)]
  }
  return [left, right]
}

function unscramble(kind: DerivedKind, high: number, low: number, key: IdKey): [number, number] {
  let [left, right] = [high, low]
  for (let round = ROUNDS - 1; round >= 0; round--) {
    ;[left, right] = [right ^ roundOf(kind, left, round, key), left]
  }
  return [left, right]
}

function roundOf(kind: DerivedKind, half: number, round: number, key: IdKey): number {
  return mix(half ^ key[round]! ^ KIND_SALT[kind]) & MASK_31
}

/** The finalizer of MurmurHash3 (public domain): every input bit reaches every output bit. */
function mix(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/**
 * A UUIDv7 (RFC 9562) that stands in a column of its own.
 * @param now Unix ms
 * @param random 10 random bytes
 */
export function newId(now: number, random: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(16)
  bytes.set(random.subarray(0, 10), 6)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(now / TWO_32))
  view.setUint32(2, now % TWO_32)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes
}
