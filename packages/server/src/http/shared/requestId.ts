import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const SANE = /^[A-Za-z0-9._-]{1,128}$/

/** Makes request ids: the caller's own when it is harmless in headers and logs, else a new one. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  // Unique over processes by its start, within one by a count: cheaper than random bytes for every request.
  const start = `req_${randomBytes(6).toString('hex')}`
  let count = 0
  return (request) => {
    const given = request.headers['x-request-id']
    if (typeof given === 'string' && SANE.test(given)) return given
    count += 1
    return `${start}_${count.toString(36)}`
  }
}
