import net, { type LookupFunction, type Socket } from 'node:net'
import tls from 'node:tls'
import { Sessions } from './sessions.ts'
import type { Trust } from './trust.ts'

/** Where to connect to, as a URL names it. */
export interface Target {
  readonly protocol: string
  /** Without brackets. */
  readonly hostname: string
  /** As in the URL, for rules and messages. */
  readonly host: string
  /** Empty: the scheme's own. */
  readonly port: string
  /** Takes all that arrives, once a connection stands; the bytes are valid during the call only. */
  readonly onData?: (bytes: Buffer) => void
}

export type DialCallback = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void

interface DialOptions {
  readonly lookup: LookupFunction
  readonly trust: Pick<Trust, 'context'>
  /** How long one address may take before the next one is tried as well, ms. */
  readonly addressTimeoutMs: number
}

/**
 * @param tunnel leads there already; only TLS is left to be begun on it
 * @param callback called once
 * @returns the socket; destroying it ends the try
 */
export type Dial = (
  target: Target & { readonly servername?: string },
  callback: DialCallback,
  tunnel?: Socket,
) => Socket

/** Probes a connection that lies idle: a peer that is gone without a word is noticed. */
const KEEP_ALIVE_AFTER_MS = 60_000

/** All sockets read into this, for what arrives is done with before the next read: each read would else allocate 64 KB. */
const readInto = Buffer.allocUnsafeSlow(64 * 1024)

/** Opens TCP and TLS connections. It knows no rules: `lookup` is what keeps them away from forbidden addresses. */
export function createDial({ lookup, trust, addressTimeoutMs }: DialOptions): Dial {
  let { context: secureContext } = trust
  let sessions = new Sessions()
  const family = {
    lookup,
    // The guard reads a list of addresses; a process-wide switch must not turn that into one address at a time.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  }
  return (target, callback, tunnel) => {
    const { protocol, hostname: host, onData } = target
    if (trust.context !== secureContext) {
      // A handshake that goes on with an earlier one does not look at the certificate again.
      secureContext = trust.context
      sessions = new Sessions()
    }
    const isTls = protocol === 'https:'
    const port = Number(target.port) || (isTls ? 443 : 80)
    // A socket that is there already allocates what it reads into.
    const reading = onData === undefined || tunnel !== undefined ? {} : { onread: readingTo(onData) }
    const socket = isTls
      ? dialTls({ ...family, ...reading, host, port, secureContext }, target, sessions, tunnel)
      : net.connect({ ...family, ...reading, host, port })
    if (onData !== undefined && tunnel !== undefined) socket.on('data', onData)
    socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS)
    // A request is one write: to wait for what might follow it would only delay it.
    socket.setNoDelay(true)
    socket.once(isTls ? 'secureConnect' : 'connect', () => callback(null, socket))
    socket.once('error', (error) => callback(error, null))
    return socket
  }
}

function dialTls(
  options: tls.ConnectionOptions,
  { servername, host }: { readonly servername?: string; readonly host: string },
  sessions: Sessions,
  tunnel: Socket | undefined,
): Socket {
  const session = sessions.get(host)
  const socket = tls.connect({
    ...options,
    ...(servername === undefined ? {} : { servername }),
    ...(session === undefined ? {} : { session: session.ticket }),
    ...(tunnel === undefined ? {} : { socket: tunnel }),
    // NODE_TLS_REJECT_UNAUTHORIZED=0 must not reach us.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  sessions.keepFrom(socket, host, session)
  return socket
}

function readingTo(onData: (bytes: Buffer) => void) {
  return {
    buffer: readInto,
    callback(length: number, buffer: Uint8Array): boolean {
      onData((buffer as Buffer).subarray(0, length))
      return true
    },
  }
}
