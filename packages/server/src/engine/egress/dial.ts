import net, { type LookupFunction, type Socket } from 'node:net'
import tls from 'node:tls'
import { Sessions } from './sessions.ts'
import type { Trust } from './trust.ts'

/** The server to connect to, as a URL names it. */
export interface Target {
  readonly protocol: string
  /** Without brackets. */
  readonly hostname: string
  /** As in the URL, for rules and messages. */
  readonly host: string
  /** Empty: the default port of the scheme. */
  readonly port: string
  /** Gets all data once the connection is open; the bytes are valid during the call only. */
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
 * @param tunnel a connection that already leads there; only TLS starts on it
 * @param callback called once
 * @returns the socket; destroying it ends the attempt
 */
export type Dial = (
  target: Target & { readonly servername?: string },
  callback: DialCallback,
  tunnel?: Socket,
) => Socket

/** Probes an idle connection, so that a peer that is gone is noticed. */
const KEEP_ALIVE_AFTER_MS = 60_000

/** All sockets read into this buffer, since data is processed before the next read. Otherwise each read would allocate 64 KB. */
const readInto = Buffer.allocUnsafeSlow(64 * 1024)

/** Opens TCP and TLS connections. It checks no rules: `lookup` keeps sockets away from forbidden addresses. */
export function createDial({ lookup, trust, addressTimeoutMs }: DialOptions): Dial {
  let { context: secureContext } = trust
  let sessions = new Sessions()
  const family = {
    lookup,
    // The guarded lookup returns a list of addresses; a process-wide switch must not make Node ask for a single one.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  }
  return (target, callback, tunnel) => {
    const { protocol, hostname: host, onData } = target
    if (trust.context !== secureContext) {
      // A resumed handshake does not check the certificate again.
      secureContext = trust.context
      sessions = new Sessions()
    }
    const isTls = protocol === 'https:'
    const port = Number(target.port) || (isTls ? 443 : 80)
    // A socket that exists already allocates its own buffers.
    const reading = onData === undefined || tunnel !== undefined ? {} : { onread: readingTo(onData) }
    const socket = isTls
      ? dialTls({ ...family, ...reading, host, port, secureContext }, target, sessions, tunnel)
      : net.connect({ ...family, ...reading, host, port })
    if (onData !== undefined && tunnel !== undefined) socket.on('data', onData)
    socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS)
    // A request is one write: Nagle's algorithm would only delay it.
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
    // NODE_TLS_REJECT_UNAUTHORIZED=0 must have no effect.
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
