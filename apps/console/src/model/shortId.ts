const HEAD = 8
const TAIL = 6

/** Start and end of an id. Ids start with a timestamp, so the end distinguishes them. */
export const shortId = (id: string): string =>
  id.length <= HEAD + TAIL + 4 ? id : `${id.slice(0, HEAD)}…${id.slice(-TAIL)}`
