const HEAD = 8
const TAIL = 6

/** Enough of an id to tell it from others at a glance: ids begin with their time and are told apart by their end. */
export const shortId = (id: string): string =>
  id.length <= HEAD + TAIL + 4 ? id : `${id.slice(0, HEAD)}…${id.slice(-TAIL)}`
