import type { TLSSocket } from 'node:tls'
import { BoundedMap } from '../../core/boundedMap.ts'
import { HOUR_MS } from '../../core/duration.ts'

/** One for each origin: going on with a session saves a round trip and most of the CPU of a handshake. */
const MAX_SESSIONS = 1_000
/** A resumed handshake shows no certificate, so what was verified once counts for so long. */
const TRUSTED_FOR_MS = HOUR_MS

interface Session {
  readonly ticket: Buffer
  /** Unix ms. */
  readonly trustedUntil: number
}

/**
 * TLS sessions to resume, by host and port. Webhooks of one origin share them: a session only says that this origin
 * showed its certificate, and carries no byte of a request or an answer. However often one is renewed, its certificate
 * is asked for again after an hour at the latest.
 */
export class Sessions {
  readonly #byHost = new BoundedMap<string, Session>(MAX_SESSIONS)

  /** What the next handshake with this host may go on with. */
  get(host: string): Session | undefined {
    const session = this.#byHost.get(host)
    if (session === undefined || Date.now() < session.trustedUntil) return session
    this.#byHost.delete(host)
    return undefined
  }

  /** Keeps the sessions that come out of a handshake. @param resumed what it was to go on with */
  keepFrom(socket: TLSSocket, host: string, resumed: Session | undefined): void {
    // Emitted only after the certificate was verified.
    socket.on('session', (ticket: Buffer) => {
      const trustedUntil =
        resumed !== undefined && socket.isSessionReused() ? resumed.trustedUntil : trustedUntilOf(socket)
      this.#byHost.set(host, { ticket, trustedUntil })
    })
  }
}

function trustedUntilOf(socket: TLSSocket): number {
  return Math.min(Date.now() + TRUSTED_FOR_MS, Date.parse(socket.getPeerCertificate().valid_to))
}
