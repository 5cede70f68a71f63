import pg from 'pg'

const INT8 = 20
const INT8_ARRAY = 1016
const BYTEA = 17

/** No id, time or count of this store is beyond what a number holds exactly. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [INT8_ARRAY]: readNumbers,
  // A copy, since small buffers are views of one that they share.
  [BYTEA]: (text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex')),
}

/** How columns become values. */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : PARSERS[oid]
    return (own ?? pg.types.getTypeParser(oid, format)) as never
  },
}

const [ZERO, MINUS, COMMA] = ['0', '-', ','].map((sign) => sign.charCodeAt(0))

/** @param text of an array of numbers, none of them null: `{1,2}` */
function readNumbers(text: string): number[] {
  const numbers: number[] = []
  let [value, sign] = [0, 1]
  for (let at = 1; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA) {
      numbers.push(sign * value)
      value = 0
      sign = 1
    } else if (code === MINUS) sign = -1
    else value = value * 10 + (code - ZERO!)
  }
  if (text.length > 2) numbers.push(sign * value)
  return numbers
}
