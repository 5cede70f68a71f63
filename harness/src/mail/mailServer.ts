import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Identity } from '../receivers/certificate.ts'
import { type ReadMail, readMail } from './message.ts'

/** An SMTP error. */
interface Refusal {
  readonly status: number
  readonly text: string
}

export interface Received extends ReadMail {
  readonly to: readonly string[]
  readonly raw: string
  readonly messageId: string
  readonly secure: boolean
  /** The signed-in user. */
  readonly user: string | undefined
}

/**
 * The server's response to a complete message: accept; reject; never answer; or keep the message and drop the
 * connection.
 */
export type Fate = 'accept' | 'hang' | 'drop' | Refusal

export interface MailServerOptions {
  /** For STARTTLS, which is offered only with it. */
  readonly identity?: Identity
  /** Required credentials; without them no sign-in is needed. */
  readonly account?: { readonly user: string; readonly pass: string }
  readonly onRecipient?: (address: string) => Refusal | null
  readonly onMessage?: (mail: Received) => Fate | Promise<Fate>
  /** To restart on the same port. */
  readonly port?: number
}

/** A mail server on this machine that keeps its messages. */
export class MailServer {
  /** Every complete message, whatever the response. */
  readonly arrived: Received[] = []
  /** Those answered as accepted. */
  readonly accepted: Received[] = []
  readonly port: number
  readonly #smtp: SMTPServer

  private constructor(smtp: SMTPServer, port: number) {
    this.#smtp = smtp
    this.port = port
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const { identity, account, onRecipient = () => null, onMessage = () => 'accept', port = 0 } = options
    const sockets = new Map<number, Socket>()
    const disabledCommands = [
      ...(identity === undefined ? ['STARTTLS'] : []),
      ...(account === undefined ? ['AUTH'] : []),
    ]
    const handlers: SMTPServerOptions = {
      onAuth: ({ username, password }, _session, callback) =>
        username === account?.user && password === account?.pass
          ? callback(null, { user: username })
          : callback(refusalOf({ status: 535, text: 'no such account' })),
      onRcptTo: ({ address }, _session, callback) => {
        const refusal = onRecipient(address)
        callback(refusal === null ? undefined : refusalOf(refusal))
      },
      onData: async (stream, session, callback) => {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const raw = Buffer.concat(chunks).toString()
        const mail = readMail(raw)
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const messageId = mail.headers.get('message-id') ?? ''
        const { secure, user } = session
        const received = { ...mail, to, raw, messageId, secure, user: user as string | undefined }
        server.arrived.push(received)
        const fate = await onMessage(received)
        if (fate === 'hang') return
        if (fate === 'drop') sockets.get(session.remotePort)?.destroy()
        else if (fate === 'accept') {
          server.accepted.push(received)
          callback()
        } else callback(refusalOf(fate))
      },
    }
    const settings = { ...identity, disabledCommands, authOptional: account === undefined, closeTimeout: 100 }
    const smtp = new SMTPServer({ ...settings, disableReverseLookup: true, ...handlers })
    // Some tests break connections on purpose.
    smtp.on('error', () => {})
    const net: Server = smtp.server
    net.on('connection', (socket: Socket) => {
      const { remotePort } = socket
      sockets.set(remotePort!, socket)
      socket.on('close', () => sockets.delete(remotePort!))
    })
    smtp.listen(port, '127.0.0.1')
    await once(net, 'listening')
    const server = new MailServer(smtp, (net.address() as AddressInfo).port)
    return server
  }

  /** For `POSTHORN_SMTP_URL`. */
  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#smtp.close(() => resolve()))
  }
}

function refusalOf({ status, text }: Refusal): Error {
  return Object.assign(new Error(text), { responseCode: status })
}
