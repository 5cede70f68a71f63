import { connect } from 'node:net'
import type pg from 'pg'
import { SECOND_MS } from '../../core/duration.ts'

/** Of the protocol; what follows it are the process and its secret. */
const CANCEL_REQUEST_CODE = 80_877_102
const GIVE_UP_AFTER_MS = 5 * SECOND_MS

/** What the client knows of the server's process at its other end. */
interface Peer {
  /** A directory is that of the server's socket. */
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | null
}

/**
 * Asks the server to end what it does for a connection, over another one. Nobody answers, and it may never arrive: a
 * server is asked this only for the sake of what its process keeps from others.
 */
export function cancelRequest(client: pg.ClientBase): void {
  const { host, port, processID, secretKey } = client as unknown as Peer
  if (processID === null || secretKey === null) return
  const message = Buffer.alloc(16)
  message.writeInt32BE(message.length, 0)
  message.writeInt32BE(CANCEL_REQUEST_CODE, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const socket = connect(place, () => socket.end(message))
  socket.setTimeout(GIVE_UP_AFTER_MS, () => socket.destroy())
  socket.on('error', () => {})
  socket.unref()
}
