import type { TLSSocket } from 'node:tls'
import { BoundedMap } from '../../core/boundedMap.ts'
import { HOUR_MS } from '../../core/duration.ts'

/** One per origin: resuming a session saves a round trip and most of the CPU time of a handshake. */
const MAX_SESSIONS = 1_000
/** A resumed handshake shows no certificate, so a verification counts for this long. */
const TRUSTED_FOR_MS = HOUR_MS

interface Session {
  readonly ticket: Buffer
  /** Unix ms. */
  readonly trustedUntil: number
}

/**
 * TLS sessions to resume, by host and port. Webhooks of one origin share them: a session only proves that this origin showed
 * its certificate, and contains no byte of a request or response. The certificate is checked again within an hour,
 * however often the session is renewed.
 */
export class Sessions {
  readonly #byHost = new BoundedMap<string, Session>(MAX_SESSIONS)

  /** The session for the next handshake with this host. */
  get(host: string): Session | undefined {
    const session = this.#byHost.get(host)
    if (session === undefined || Date.now() < session.trustedUntil) return session
    this.#byHost.delete(host)
    return undefined
  }

  /** Stores the sessions of a handshake. @param resumed the session that the handshake resumes */
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
