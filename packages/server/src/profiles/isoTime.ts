/** Events of a batch share their time, and formatting it takes a quarter of the time for their whole body. */
let last = { ms: 0, text: new Date(0).toISOString() }

/** @param ms Unix ms @returns RFC 3339, in UTC with milliseconds */
export function isoTime(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}
