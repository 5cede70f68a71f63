import { EventEmitter } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts'
import { Sessions } from '../../src/engine/egress/sessions.ts'

const NAME = 'hooks.acme-receiver.com'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/**
 * A handshake after which the server sends a session, as many do also after a resumed one; Node's server does
 * not.
 */
function handshake(
  sessions: Sessions,
  ticket: string,
  { reused = true, validForMs = 24 * HOUR_MS } = {},
): void {
  const socket = Object.assign(new EventEmitter(), {
    isSessionReused: () => reused,
    getPeerCertificate: () => ({ valid_to: new Date(Date.now() + validForMs).toUTCString() }),
  })
  sessions.keepFrom(socket as unknown as TLSSocket, NAME, sessions.get(NAME))
  socket.emit('session', Buffer.from(ticket))
}

const ticketOf = (sessions: Sessions) => sessions.get(NAME)?.ticket.toString()

test('a session renewed during a resumption ends an hour after the certificate was verified', () => {
  const sessions = new Sessions()
  handshake(sessions, 'verified', { reused: false })
  vi.advanceTimersByTime(50 * MINUTE_MS)
  handshake(sessions, 'renewed')
  vi.advanceTimersByTime(9 * MINUTE_MS)
  handshake(sessions, 'renewed again')
  expect(ticketOf(sessions)).toBe('renewed again')
  vi.advanceTimersByTime(MINUTE_MS)
  expect(ticketOf(sessions)).toBeUndefined()
})

test('a session that the server does not resume is replaced by one of its current certificate', () => {
  const sessions = new Sessions()
  handshake(sessions, 'verified', { reused: false })
  vi.advanceTimersByTime(50 * MINUTE_MS)
  handshake(sessions, 'verified again', { reused: false })
  vi.advanceTimersByTime(50 * MINUTE_MS)
  expect(ticketOf(sessions)).toBe('verified again')
})

test('a session ends with its certificate, and one without a date is never resumed', () => {
  const sessions = new Sessions()
  handshake(sessions, 'short', { reused: false, validForMs: MINUTE_MS })
  vi.advanceTimersByTime(MINUTE_MS - 1_000)
  expect(ticketOf(sessions)).toBe('short')
  vi.advanceTimersByTime(1_000)
  expect(ticketOf(sessions)).toBeUndefined()
  handshake(sessions, 'timeless', { reused: false, validForMs: Number.NaN })
  expect(ticketOf(sessions)).toBeUndefined()
})
