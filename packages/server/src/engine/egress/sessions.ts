import type { TLSSocket } from 'node:tls'
import { HOUR_MS } from '../../core/duration.ts'

/** One for each host name: going on with a session saves a round trip and most of the CPU of a handshake. */
const MAX_SESSIONS = 1_000
/** A resumed handshake shows no certificate, so what was verified once counts for so long. */
const TRUSTED_FOR_MS = HOUR_MS

interface Session {
  readonly ticket: Buffer
  /** Unix ms. */
  readonly trustedUntil: number
}

/** TLS sessions to go on with. However often one is renewed, its certificate is asked for again after an hour at the latest. */
export class Sessions {
  readonly #byName = new Map<string, Session>()

  /** What the next handshake with this host may go on with. */
  get(name: string): Session | undefined {
    const session = this.#byName.get(name)
    if (session === undefined || Date.now() < session.trustedUntil) return session
    this.#byName.delete(name)
    return undefined
  }

  /** Keeps the sessions that come out of a handshake. @param resumed what it was to go on with */
  keepFrom(socket: TLSSocket, name: string, resumed: Session | undefined): void {
    // Told of only once the certificate was verified.
    socket.on('session', (ticket: Buffer) => {
      const trustedUntil =
        resumed !== undefined && socket.isSessionReused() ? resumed.trustedUntil : trustedUntilOf(socket)
      this.#set(name, { ticket, trustedUntil })
    })
  }

  #set(name: string, session: Session): void {
    this.#byName.delete(name)
    this.#byName.set(name, session)
    if (this.#byName.size > MAX_SESSIONS) this.#byName.delete(this.#byName.keys().next().value!)
  }
}

function trustedUntilOf(socket: TLSSocket): number {
  return Math.min(Date.now() + TRUSTED_FOR_MS, Date.parse(socket.getPeerCertificate().valid_to))
}
