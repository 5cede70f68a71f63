import pg from 'pg'

const INT8 = 20
const INT8_ARRAY = 1016
const BYTEA = 17

/** No id, time or count of this store is beyond what a number holds exactly. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [INT8_ARRAY]: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)),
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
