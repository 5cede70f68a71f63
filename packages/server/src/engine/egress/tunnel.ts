import { type ClientRequest, request } from 'node:http'
import { isIPv6, type LookupFunction, type Socket } from 'node:net'
import type { Fault } from '../../core/cause.ts'
import { EgressError, toEgressError } from './errors.ts'

/** A forward proxy that opens tunnels (RFC 9110 section 9.3.6). */
export interface EgressProxy {
  readonly hostname: string
  readonly port: number
  /** The value of `proxy-authorization`, or null. */
  readonly authorization: string | null
}

const MAX_HEADER_BYTES = 16_384
const PROXY_AUTHENTICATION_REQUIRED = 407
const TOO_MANY_REQUESTS = 429
/** Statuses with which proxies report a dead target. */
const TARGET_DEAD: readonly number[] = [502, 503, 504]

/** How long the proxy may take for one address while there is another one: a connect from here, and the way to the proxy. */
const ADDRESS_TIMEOUT_MS = 2_000

/**
 * Parses `http://[user:password@]host:port`.
 * @throws Error that never contains the password
 */
export function parseProxyUrl(text: string): EgressProxy {
  const url = URL.canParse(text) ? new URL(text) : null
  if (
    url === null ||
    url.protocol !== 'http:' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new Error('use the URL of a forward proxy: http://host:port or http://user:password@host:port')
  }
  return Object.freeze({
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 80 : Number(url.port),
    authorization: url.username === '' && url.password === '' ? null : basic(url.username, url.password),
  })
}

function basic(username: string, password: string): string {
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return `Basic ${Buffer.from(credentials).toString('base64')}`
  } catch {
    throw new Error('the user name or password of the forward proxy is not percent-encoded correctly')
  }
}

export type TunnelCallback = (
  ...outcome: [error: EgressError, socket: null] | [error: null, socket: Socket]
) => void

function faultOf(status: number): Fault {
  if (TARGET_DEAD.includes(status)) return 'proxy_found_target_dead'
  const concernsSender = status === PROXY_AUTHENTICATION_REQUIRED || status === TOO_MANY_REQUESTS
  return concernsSender ? 'proxy_refused_sender' : 'proxy_refused_target'
}

/** The proxy answered, but did not open a tunnel. */
class TunnelRefused extends EgressError {
  readonly status: number

  constructor(status: number) {
    const remedy =
      status === PROXY_AUTHENTICATION_REQUIRED
        ? 'The operator should correct its user name and password.'
        : 'Check that the server is reachable from the internet, or ask the operator to allow it in the proxy.'
    super(
      'connect_failed',
      faultOf(status),
      `The sender's forward proxy answered ${status} to CONNECT. ${remedy}`,
    )
    this.status = status
  }

  /** Whether it may open a tunnel to another address. */
  get concernsAddress(): boolean {
    return this.status !== PROXY_AUTHENTICATION_REQUIRED
  }
}

/**
 * Asks the proxy for a connection to the target. The caller bounds the duration: a proxy may accept the connection and not
 * answer.
 *
 * @param target a name, or an address without brackets; and a port
 * @param lookup resolves the proxy's own name, which the operator chose, so it is not guarded
 * @returns the request; destroying it ends the attempt
 */
export function openTunnel(
  proxy: EgressProxy,
  target: { readonly hostname: string; readonly port: string },
  lookup: LookupFunction,
  callback: TunnelCallback,
): ClientRequest {
  const authority = `${isIPv6(target.hostname) ? `[${target.hostname}]` : target.hostname}:${target.port}`
  const connect = request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
    },
    lookup,
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  connect.once('connect', ({ statusCode = 0 }, stream, head) => {
    // Without an agent of our own the stream is always a plain socket.
    const socket = stream as Socket
    // Until the caller adds its listeners, an `error` without a listener would end the process.
    socket.on('error', () => {})
    if (statusCode < 200 || statusCode > 299) {
      socket.destroy()
      callback(new TunnelRefused(statusCode), null)
      return
    }
    if (head.length > 0) {
      socket.destroy()
      callback(spokenFirst(), null)
      return
    }
    callback(null, socket)
  })
  connect.on('error', (error) => callback(toEgressError(error, 'proxy'), null))
  connect.end()
  return connect
}

/**
 * Tries one address after another until there is a connection.
 * @param addresses at least one
 * @param open asks for a connection to one of them
 * @param callback called once, unless the returned attempt is destroyed before
 */
export function openTunnelToAny(
  addresses: readonly string[],
  open: (address: string, callback: TunnelCallback) => { destroy(): unknown },
  callback: TunnelCallback,
): { destroy(): void } {
  let underWay: { destroy(): unknown } | null = null
  let timer: NodeJS.Timeout | undefined
  const next = (at: number): void => {
    const isLast = at === addresses.length - 1
    const leave = (): void => {
      clearTimeout(timer)
      underWay = null
    }
    const request = open(addresses[at]!, (...outcome) => {
      // Attempts that were overtaken still report how they ended.
      if (underWay !== request) {
        outcome[1]?.destroy()
        return
      }
      leave()
      if (!isLast && outcome[0] instanceof TunnelRefused && outcome[0].concernsAddress) next(at + 1)
      else callback(...outcome)
    })
    underWay = request
    if (isLast) return
    timer = setTimeout(() => {
      leave()
      request.destroy()
      next(at + 1)
    }, ADDRESS_TIMEOUT_MS)
  }
  next(0)
  return {
    destroy() {
      clearTimeout(timer)
      const request = underWay
      underWay = null
      request?.destroy()
    },
  }
}

function spokenFirst(): EgressError {
  return new EgressError(
    'connect_failed',
    'protocol',
    "The sender's forward proxy sent data before the request was sent. Check that the port in the URL serves HTTPS.",
  )
}
