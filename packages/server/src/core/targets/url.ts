import { parseAddress } from './address.ts'
import { refuseName } from './names.ts'
import { type EgressRules, isAllowedAddress, isAllowedHost } from './rules.ts'

/** The longest target in UTF-16 code units, before and after normalization. */
const MAX_URL_LENGTH = 2048

const DEFAULT_PORTS: readonly number[] = [443, 8443]

type TargetErrorCode =
  | 'url_not_a_string'
  | 'url_empty'
  | 'url_too_long'
  | 'url_characters'
  | 'url_invalid'
  | 'url_scheme'
  | 'url_user_info'
  | 'url_fragment'
  | 'url_port'
  | 'url_ip_literal'
  | 'url_host_invalid'
  | 'url_host_local'

/** `reason` says what is wrong and what is allowed, in a sentence or two. */
interface TargetRefusal {
  readonly code: TargetErrorCode
  readonly reason: string
}

type TargetCheck =
  /** `url` is the normalized href that will be requested; checking it again returns it unchanged. */
  { readonly ok: true; readonly url: string } | ({ readonly ok: false } & TargetRefusal)

/** The destination of a connection. */
interface TargetOrigin {
  /** `https:` or `http:`. */
  readonly protocol: string
  /** A name or a literal as the WHATWG URL parser returns it; an IPv6 literal with or without its brackets. */
  readonly hostname: string
  /** Decimal, or empty for the scheme's own port. */
  readonly port: string
}

/**
 * Decides whether a subscription may have this target. The string is checked before it is parsed, since the WHATWG parser
 * silently corrects input that must be rejected: it drops tabs and newlines, turns backslashes into slashes, adds slashes and
 * decodes hosts. It is checked again after parsing, since only then the host has its canonical spelling (`0x7f.1`, circled
 * digits, full-width letters). Never throws, whatever the input.
 */
export function checkTargetUrl(input: unknown, rules: EgressRules): TargetCheck {
  if (typeof input !== 'string') {
    return refused(
      'url_not_a_string',
      'The URL is not a string; use a string such as "https://hooks.example.com/".',
    )
  }
  const raw = refuseRaw(input, rules)
  if (raw !== null) return { ok: false, ...raw }
  const url = parseUrl(input)
  if (url === null) return { ok: false, ...whyUnparsable(input) }
  const origin = refuseOrigin(url, rules)
  if (origin !== null) return { ok: false, ...origin }
  // The trailing dot is valid in DNS but not in SNI (RFC 6066 section 3), and many servers do not accept it in Host.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  if (url.href.length > MAX_URL_LENGTH) return { ok: false, ...TOO_LONG }
  return { ok: true, url: url.href }
}

/**
 * Checks scheme, literals, names and ports of one parsed origin. The connector checks again at every connect, since the rules
 * may have become stricter since the subscription was made.
 */
export function refuseOrigin(origin: TargetOrigin, rules: EgressRules): TargetRefusal | null {
  const { protocol } = origin
  if (protocol !== 'https:' && protocol !== 'http:') return wrongScheme(rules)
  const host = origin.hostname.replace(/^\[(.*)\]$/, '$1')
  const isLiteral = host.includes(':') || parseAddress(host) !== null
  if (isLiteral ? isAllowedAddress(host, rules) : isAllowedHost(host, rules)) return null
  // First, since with another scheme a local host would be rejected as well.
  if (isLiteral) return IP_LITERAL
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  const refusedName = refuseName(name)
  if (refusedName !== null) return refusedName
  return protocol === 'https:' ? refusePort(origin.port, rules) : wrongScheme(rules)
}

/** `localhost:3000/hook` parses as a URL with the scheme `localhost`. */
const HOST_AND_PORT = /^[a-z0-9.-]+:\d{1,5}([/?]|$)/i

function withoutScheme(input: string): TargetRefusal {
  const host = input.slice(0, input.indexOf(':')).toLowerCase()
  return refuseName(host) ?? refusal('url_scheme', 'The URL does not start with https://; add it in front.')
}

function wrongScheme({ hosts, ranges }: EgressRules): TargetRefusal {
  const reason =
    hosts.length + ranges.length === 0
      ? 'The URL does not start with https://; use https://, the only scheme that is allowed.'
      : 'The URL does not start with https://; use https://. http:// is allowed only for addresses and names that the operator lists in POSTHORN_EGRESS_ALLOW.'
  return refusal('url_scheme', reason)
}

const IP_LITERAL: TargetRefusal = {
  code: 'url_ip_literal',
  reason:
    'The host is an IP address; use a host name, such as hooks.example.com. The operator can allow addresses in POSTHORN_EGRESS_ALLOW.',
}

const TOO_LONG: TargetRefusal = {
  code: 'url_too_long',
  reason: `The URL is longer than ${MAX_URL_LENGTH} characters after encoding; use a shorter one.`,
}

function refusePort(portText: string, rules: EgressRules): TargetRefusal | null {
  const port = portText === '' ? 443 : Number(portText)
  if (DEFAULT_PORTS.includes(port) || rules.extraPorts.includes(port)) return null
  const allowed = [...DEFAULT_PORTS, ...rules.extraPorts].sort((a, b) => a - b)
  const list = `${allowed.slice(0, -1).join(', ')} and ${allowed.at(-1)}`
  return { code: 'url_port', reason: `Port ${port} is not allowed; use one of the ports ${list}.` }
}

/** Not `URL.canParse`: after some 2,000 calls the one of Node 20 and 22 rejects names with letters such as ü. */
function parseUrl(input: string): URL | null {
  try {
    return new URL(input)
  } catch {
    return null
  }
}

/** What is wrong with the string itself, before it is parsed. */
function refuseRaw(input: string, rules: EgressRules): TargetRefusal | null {
  if (input === '')
    return refusal('url_empty', 'The URL is empty; use one such as https://hooks.example.com/.')
  if (input.length > MAX_URL_LENGTH) {
    const reason = `The URL is longer than ${MAX_URL_LENGTH} characters; use a shorter one.`
    return refusal('url_too_long', reason)
  }
  return refuseCharacters(input) ?? refuseShape(input, rules)
}

function refuseCharacters(input: string): TargetRefusal | null {
  // Controls, separators (all spaces), invisible format characters and halves of surrogate pairs.
  if (/[\p{Cc}\p{Z}\p{Cf}\p{Cs}]/u.test(input)) {
    const reason =
      'The URL has a space, a tab, a line break or an invisible character; remove or percent-encode it.'
    return refusal('url_characters', reason)
  }
  if (input.includes('\\'))
    return refusal('url_characters', 'The URL has a backslash; write / or %5C instead.')
  if (input.includes('#')) {
    return refusal('url_fragment', 'The URL has a fragment (#), which is never sent; remove it.')
  }
  return null
}

/** Scheme, two slashes and an authority without user info or percent-encoding. */
function refuseShape(input: string, rules: EgressRules): TargetRefusal | null {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(input)?.[0].toLowerCase()
  if (scheme === undefined) {
    return refusal('url_invalid', 'This is not an absolute URL; use one such as https://hooks.example.com/.')
  }
  if (scheme !== 'https:' && scheme !== 'http:')
    return HOST_AND_PORT.test(input) ? withoutScheme(input) : wrongScheme(rules)
  const authority = authorityOf(input)
  if (authority === undefined || authority === '') {
    const reason =
      'The scheme must be followed by exactly two slashes and a host, such as https://hooks.example.com/.'
    return refusal('url_invalid', reason)
  }
  if (authority.includes('@')) {
    const reason =
      'The URL has a user name or password (before the @); remove it, and verify the signature instead.'
    return refusal('url_user_info', reason)
  }
  if (authority.includes('%')) {
    return refusal('url_host_invalid', 'The host is percent-encoded; use plain characters.')
  }
  return null
}

/** The authority as the WHATWG parser delimits it, given that the input has no backslash. */
function authorityOf(input: string): string | undefined {
  return /^[^:]*:\/\/([^/?#]*)/.exec(input)?.[1]
}

function whyUnparsable(input: string): TargetRefusal {
  const authority = authorityOf(input) ?? ''
  const port = /:([^:\]]*)$/.exec(authority)?.[1]
  if (port !== undefined && !(/^\d*$/.test(port) && Number(port) <= 65535)) {
    return refusal(
      'url_port',
      'The port is not a number from 1 to 65535; correct it, or remove it to use 443.',
    )
  }
  const host = authority.replace(/:\d*$/, '')
  if (host.startsWith('[')) return IP_LITERAL
  // The WHATWG host parser reads every name whose last label is numeric as an IPv4 address, valid or not.
  if (/(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(host.normalize('NFKC'))) {
    const reason =
      'The host ends in a number, so it is treated as an IP address; use a host name, such as hooks.example.com.'
    return refusal('url_ip_literal', reason)
  }
  return refusal('url_host_invalid', 'The host is not a valid name; use one such as hooks.example.com.')
}

function refusal(code: TargetErrorCode, reason: string): TargetRefusal {
  return { code, reason }
}

function refused(code: TargetErrorCode, reason: string): TargetCheck {
  return { ok: false, code, reason }
}
