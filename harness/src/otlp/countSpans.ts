const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** Fields that lead to the spans of a trace export: `resource_spans`, in these `scope_spans`, in these `spans`. */
const TO_SPANS = [1, 2, 2] as const

/**
 * Counts the spans of an OTLP export request without decoding them. @throws RangeError when it is not a
 * protobuf message
 */
export const countSpans = (request: Buffer): number => countAt(request, TO_SPANS)

function countAt(message: Buffer, [field, ...deeper]: readonly number[]): number {
  let count = 0
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at++)
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
  while (at < message.length) {
    const tag = varint()
    const kind = tag & 7
    if (kind === VARINT) varint()
    else if (kind === FIXED_64) at += 8
    else if (kind === FIXED_32) at += 4
    else if (kind === BYTES) {
      const length = varint()
      if (at + length > message.length) throw new RangeError('a field is longer than its message')
      if (Math.floor(tag / 8) === field)
        count += deeper.length === 0 ? 1 : countAt(message.subarray(at, at + length), deeper)
      at += length
    } else throw new RangeError(`protobuf has no wire type ${kind}`)
  }
  return count
}
