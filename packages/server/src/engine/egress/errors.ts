import { isIPv6 } from 'node:net'
import type { Fault } from '../../core/cause.ts'

/** The error codes of an attempt that failed before a request was on the wire. */
type EgressErrorCode = 'dns_failed' | 'refused_target' | 'connect_failed' | 'connect_timeout' | 'tls_failed'

/**
 * No connection was established. `message` is for the customer's engineer: what is wrong, then what to do. It never contains an
 * address, since the resolver may have returned one of the operator's own network.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly code: EgressErrorCode
  readonly fault: Fault

  constructor(code: EgressErrorCode, fault: Fault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.fault = fault
  }
}

export function shutDown(): EgressError {
  return new EgressError(
    'connect_failed',
    'shut_down',
    'The sender was shut down before the connection was open. The receiver is not the cause.',
  )
}

/** @param cause the error of the last lookup */
export function resolverSilent(cause: Error): EgressError {
  const message =
    "The sender's name servers have not answered for a while. The receiver is not the cause; the operator should check the name servers."
  return new EgressError('dns_failed', 'resolver_silent', message, cause)
}

type Advice = readonly [code: EgressErrorCode, fault: Fault, message: string]

const EXPIRED: Advice = [
  'tls_failed',
  'certificate_dates',
  'The certificate expired. Renew it and reload the server.',
]
const SELF_SIGNED: Advice = [
  'tls_failed',
  'tls',
  'The certificate is self-signed. Install a certificate from a public certificate authority.',
]
const INCOMPLETE: Advice = [
  'tls_failed',
  'tls',
  'The certificate was not issued by a trusted authority, or the chain is incomplete. Serve the full chain, with every intermediate certificate.',
]
const WRONG_NAME: Advice = [
  'tls_failed',
  'tls',
  'The certificate is for another host name. Install a certificate for the host name in the URL, or correct the URL.',
]
const NOT_TLS: Advice = [
  'tls_failed',
  'tls',
  'The server does not speak TLS on this port. Enable TLS there, or correct the port in the URL.',
]
const OLD_TLS: Advice = [
  'tls_failed',
  'tls',
  'The server supports no accepted TLS version. Enable TLS 1.2 or 1.3.',
]
const WEAK: Advice = [
  'tls_failed',
  'tls',
  'The certificate chain uses a key or a digest that is too weak. Get a new certificate with current algorithms.',
]
const CLIENT_CERTIFICATE: Advice = [
  'tls_failed',
  'tls',
  'The server requires a client certificate, which is never sent. Disable this requirement: verify the signature instead.',
]
const HANDSHAKE: Advice = [
  'tls_failed',
  'tls',
  'The TLS handshake failed. Check the certificate, the protocol versions and the cipher suites of the server.',
]
const HUNG_UP: Advice = [
  'tls_failed',
  'tls',
  'The server closed the connection during the TLS handshake. Check that it serves TLS for this host name.',
]
const NO_SUCH_NAME: Advice = [
  'dns_failed',
  'no_such_name',
  'The host name has no address in DNS. Correct the URL, or add an A or AAAA record.',
]
const DNS_TROUBLE: Advice = [
  'dns_failed',
  'resolver_trouble',
  'The name servers of the host name did not answer. Check that they are running and that the DNS zone is correct.',
]
const RESOLVER_AWAY: Advice = [
  'dns_failed',
  'resolver_unreachable',
  "The sender's name servers could not be reached. The receiver is not the cause; the operator should check the name servers.",
]
const REFUSED: Advice = [
  'connect_failed',
  'connect_failed',
  'The server refused the connection. Check that it is running and listens on the port in the URL.',
]
const UNREACHABLE: Advice = [
  'connect_failed',
  'connect_failed',
  'The network of the server cannot be reached. Check its DNS records, routing and firewall.',
]
const RESET: Advice = [
  'connect_failed',
  'connect_failed',
  'The connection was closed while it was being opened. Check the firewall or load balancer in front of the server.',
]
const FORBIDDEN: Advice = [
  'connect_failed',
  'forbidden',
  'A firewall blocked the connection. Check the rules on both sides of the network.',
]
const EXHAUSTED: Advice = [
  'connect_failed',
  'out_of_sockets',
  'The sender had no free socket or memory. The receiver is not the cause; the operator should raise the limits.',
]
const TIMED_OUT: Advice = [
  'connect_timeout',
  'connect_timeout',
  'The server did not accept the connection in time. Check that it is running and that its firewall allows the connection.',
]
const UNKNOWN: Advice = [
  'connect_failed',
  'connect_failed',
  'The connection could not be opened. Check that the server is reachable.',
]

/** By the `code` of the errors of Node (libuv, c-ares) and OpenSSL (X509_V_ERR_*, ERR_SSL_*). */
const ADVICE: ReadonlyMap<string, Advice> = new Map(
  (
    [
      [EXPIRED, 'CERT_HAS_EXPIRED'],
      [
        ['tls_failed', 'certificate_dates', 'The certificate is not valid yet. Check its dates.'],
        'CERT_NOT_YET_VALID',
      ],
      [['tls_failed', 'tls', 'The certificate was revoked. Install a new one.'], 'CERT_REVOKED'],
      [SELF_SIGNED, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      [INCOMPLETE, 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_UNTRUSTED'],
      [INCOMPLETE, 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'INVALID_CA'],
      [WRONG_NAME, 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH', 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'],
      [NOT_TLS, 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'],
      [OLD_TLS, 'ERR_SSL_UNSUPPORTED_PROTOCOL', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
      [WEAK, 'CA_KEY_TOO_SMALL', 'EE_KEY_TOO_SMALL', 'CA_MD_TOO_WEAK', 'ERR_SSL_DH_KEY_TOO_SMALL'],
      [CLIENT_CERTIFICATE, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
      [NO_SUCH_NAME, 'ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA', 'EAI_ADDRFAMILY', 'ENONAME'],
      [NO_SUCH_NAME, 'EBADNAME'],
      [DNS_TROUBLE, 'EAI_AGAIN', 'EAI_FAIL', 'ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'EFORMERR', 'EBADRESP'],
      [DNS_TROUBLE, 'ENOTIMP'],
      [RESOLVER_AWAY, 'ECANCELLED', 'EDESTRUCTION'],
      [REFUSED, 'ECONNREFUSED'],
      [UNREACHABLE, 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'],
      [RESET, 'ECONNRESET', 'ECONNABORTED', 'EPIPE'],
      [FORBIDDEN, 'EACCES', 'EPERM'],
      [EXHAUSTED, 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'],
      [TIMED_OUT, 'ETIMEDOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT'],
    ] as readonly (readonly [Advice, ...string[]])[]
  ).flatMap(([advice, ...codes]) => codes.map((code) => [code, advice] as const)),
)

/** OpenSSL has some hundred more codes; all begin with one of these prefixes. */
const TLS_CODE =
  /^(ERR_SSL_|ERR_TLS_|ERR_OSSL_|CERT_|CRL_|CA_|EE_|UNABLE_TO_|INVALID_|ERROR_IN_|PATH_LENGTH_|EPROTO$)/

/** The phase in which a connection failed. */
export type ConnectPhase = 'resolve' | 'connect' | 'proxy' | 'tls'

/**
 * Describes why no connection was established. Errors of an established connection do not belong here.
 *
 * @param phase if known: `ECONNRESET` from a firewall and within a handshake mean different things
 */
export function toEgressError(error: unknown, phase?: ConnectPhase): EgressError {
  if (error instanceof EgressError) return error
  const systemCode = systemCodeOf(error)
  const [code, fault, message] = adviceFor(systemCode, phase)
  return new EgressError(code, fault, systemCode === null ? message : `${message} (${systemCode})`, error)
}

/** Resources that the process or machine lacks. */
const SOCKETS_LACK: readonly (string | null)[] = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']

/** Whether a connection failed because this side has no socket for it. */
export function lacksSockets({ cause }: Error): boolean {
  return SOCKETS_LACK.includes(systemCodeOf(cause))
}

const TIMEOUTS: Readonly<Record<ConnectPhase, readonly [fault: Fault, message: string]>> = {
  resolve: [
    'resolver_trouble',
    'DNS did not resolve the host name in time. Check that the name servers of the host name answer.',
  ],
  connect: ['connect_timeout', TIMED_OUT[2]],
  proxy: [
    'proxy_timeout',
    "The sender's forward proxy did not open a connection in time. The operator should check the proxy.",
  ],
  tls: [
    'tls_timeout',
    'The server did not finish the TLS handshake in time. Check its load and its TLS settings.',
  ],
}

export function connectTimeout(phase: ConnectPhase): EgressError {
  return new EgressError('connect_timeout', ...TIMEOUTS[phase])
}

function adviceFor(systemCode: string | null, phase: ConnectPhase | undefined): Advice {
  if (phase === 'proxy') {
    return [
      'connect_failed',
      'proxy_unreachable',
      "The sender's forward proxy could not be reached. The operator should check it.",
    ]
  }
  const known = systemCode === null ? undefined : ADVICE.get(systemCode)
  if (phase === 'resolve') {
    if (known === EXHAUSTED) return known
    // From the name server, not from the receiver.
    if (systemCode === 'ECONNREFUSED') return RESOLVER_AWAY
    return known?.[0] === 'dns_failed' ? known : DNS_TROUBLE
  }
  if (phase === 'tls' && known === RESET) return HUNG_UP
  if (known !== undefined) return known
  return phase === 'tls' || (systemCode !== null && TLS_CODE.test(systemCode)) ? HANDSHAKE : UNKNOWN
}

/** This machine or its network lacks the address family, so the error of another address is more useful. */
const LOCAL_CODES: readonly (string | null)[] = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', null]

/** This machine has no IPv6 address. No port is lacking, and only receivers with nothing but IPv6 are unreachable. */
const isWithoutIpv6 = (error: object): boolean =>
  'code' in error && error.code === 'EADDRNOTAVAIL' && 'address' in error && isIPv6(String(error.address))

/** Libraries nest causes no deeper; a longer chain may be a cycle. */
const MAX_DEPTH = 4

/** The `code` of the error, of the most useful error in an AggregateError (one per address tried), or of its cause. */
function systemCodeOf(error: unknown, depth = 0): string | null {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return null
  if (error instanceof AggregateError && error.errors.length > 0) {
    const codes = error.errors.map((each) => systemCodeOf(each, depth + 1))
    return codes.find((code) => !LOCAL_CODES.includes(code)) ?? codes.find((code) => code !== null) ?? null
  }
  if ('code' in error && typeof error.code === 'string')
    return isWithoutIpv6(error) ? 'ENETUNREACH' : error.code
  return 'cause' in error ? systemCodeOf(error.cause, depth + 1) : null
}
