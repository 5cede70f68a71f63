import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { SECOND_MS } from '../core/duration.ts'
import { lazy } from '../core/lazy.ts'
import { type Address, DeferredError, RefusedError, type Transport } from './mail.ts'
import { toMime } from './mime.ts'
import type { SmtpServer } from './smtpUrl.ts'

/** Timeouts of parts of a conversation, which also has a total timeout. */
const CONNECT_WITHIN_MS = 20 * SECOND_MS
const GREET_WITHIN_MS = 20 * SECOND_MS

/** The error properties of nodemailer. */
interface SmtpFailure extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
}

/**
 * Sends each message over a separate connection, so that the library never resends anything itself.
 * @param tls for a server whose certificate is not signed by a public authority
 */
export function smtpTransport(server: SmtpServer, from: Address, tls: ConnectionOptions = {}): Transport {
  const { host, port, secure, auth } = server
  // Most services send their first message long after their start, or none.
  const transporter = lazy(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure,
      ...(auth === null ? {} : { auth: { ...auth } }),
      // An impostor of the server that offers no TLS must not get the password.
      requireTLS: auth !== null && !secure && !isLoopback(host),
      connectionTimeout: CONNECT_WITHIN_MS,
      greetingTimeout: GREET_WITHIN_MS,
      dnsTimeout: CONNECT_WITHIN_MS,
      tls,
    })
  })
  return {
    done: 'e-mail sent',
    async send(mail, signal) {
      try {
        await (await transporter()).sendMail({ ...toMime(mail, from), signal })
        return {}
      } catch (error) {
        throw judged(error as SmtpFailure, signal, auth?.pass)
      }
    },
  }
}

/**
 * Decides whether a failure concerns the message: rejections of its recipient or content do; other failures would affect any
 * message. The error itself is not passed on: it contains more than should be logged.
 */
function judged(failure: SmtpFailure, signal: AbortSignal, pass: string | undefined): Error {
  if (signal.aborted) return signal.reason as Error
  const text = pass === undefined ? failure.message : failure.message.replaceAll(pass, '…')
  const { code, responseCode: status, command } = failure
  if (status === 421 || status === 503) return new Error(text)
  if (code === 'EENVELOPE' && status === undefined) return new RefusedError(text)
  if (command !== 'RCPT TO' && code !== 'EMESSAGE') return new Error(text)
  return status !== undefined && status >= 500 ? new RefusedError(text) : new DeferredError(text)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
