import ipaddr from 'ipaddr.js'

/** Whether a socket may connect to an address. `kind` is a noun phrase for a message, such as `loopback`. */
type AddressClass = { readonly public: true } | { readonly public: false; readonly kind: AddressKind }

export type AddressKind =
  | 'malformed'
  | 'zone-scoped'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'carrier-grade NAT'
  | 'cloud platform'
  | 'broadcast'
  | 'multicast'
  | 'benchmarking'
  | 'documentation'
  | 'reserved'
  | 'AS112'
  | 'AMT relay'
  | 'unique local'
  | 'site-local'
  | 'discard-only'
  | 'IPv4-mapped'
  | 'IPv4-compatible'
  | 'IPv4-translated'
  | 'NAT64'
  | '6to4'
  | 'Teredo'
  | 'ISATAP'
  | 'ORCHID'
  | 'segment routing'

const PUBLIC: AddressClass = Object.freeze({ public: true })

/** Our names for the ranges of ipaddr.js. A range that is not listed is `reserved`. */
const KIND_OF_RANGE: Readonly<Record<string, AddressKind>> = {
  unspecified: 'unspecified',
  loopback: 'loopback',
  private: 'private',
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  broadcast: 'broadcast',
  multicast: 'multicast',
  benchmarking: 'benchmarking',
  as112: 'AS112',
  as112v6: 'AS112',
  amt: 'AMT relay',
  uniqueLocal: 'unique local',
  deprecatedSiteLocal: 'site-local',
  discard: 'discard-only',
  ipv4Mapped: 'IPv4-mapped',
  rfc6145: 'IPv4-translated',
  rfc6052: 'NAT64',
  '6to4': '6to4',
  teredo: 'Teredo',
  deprecatedOrchid: 'ORCHID',
  orchid2: 'ORCHID',
  droneRemoteIdProtocolEntityTags: 'ORCHID',
  segmentRouting: 'segment routing',
}

/** Special ranges that ipaddr.js reports as `unicast` or `reserved`. */
const EXTRA_IPV4: readonly (readonly [string, number, AddressKind])[] = [
  // Azure's wire server and DNS: public according to the registry, but in fact an instance's private API.
  ['168.63.129.16', 32, 'cloud platform'],
  // RFC 2544; RFC 5737.
  ['198.18.0.0', 15, 'benchmarking'],
  ['192.0.2.0', 24, 'documentation'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
]

const EXTRA_IPV6: readonly (readonly [string, number, AddressKind])[] = [
  // RFC 3849, RFC 9637.
  ['2001:db8::', 32, 'documentation'],
  ['3fff::', 20, 'documentation'],
]

const extraIpv4 = EXTRA_IPV4.map(([base, bits, kind]) => ({ base: ipaddr.IPv4.parse(base), bits, kind }))
const extraIpv6 = EXTRA_IPV6.map(([base, bits, kind]) => ({ base: ipaddr.IPv6.parse(base), bits, kind }))

/**
 * Reads an address in its strict form: four decimal parts, or RFC 4291 text without a zone id. The short forms of inet_aton
 * (`127.1`, `0x7f000001`) are rejected here: a resolver never returns them.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (text.length > 45 || !/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)) return null
  const hextets = withoutDots(text)
  return hextets !== null && ipaddr.IPv6.isValid(hextets) ? ipaddr.IPv6.parse(hextets) : null
}

/** Converts a dotted tail to hextets: ipaddr.js accepts octal and hex parts in it, and reads `::8.8.8.8` as mapped. */
function withoutDots(text: string): string | null {
  const tailAt = text.lastIndexOf(':') + 1
  const tail = text.slice(tailAt)
  if (!tail.includes('.')) return text
  if (!ipaddr.IPv4.isValidFourPartDecimal(tail)) return null
  const [a, b, c, d] = ipaddr.IPv4.parse(tail).octets as [number, number, number, number]
  return `${text.slice(0, tailAt)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/**
 * Separates public unicast addresses from all others. Every IPv6 form that embeds an IPv4 address is rejected, whatever the
 * embedded address: a translator or relay would decide where the packets go, and no receiver publishes such an address in DNS.
 */
export function classifyAddress(address: string): AddressClass {
  if (address.includes('%')) return refused('zone-scoped')
  const parsed = parseAddress(address)
  if (parsed === null) return refused('malformed')
  return parsed instanceof ipaddr.IPv4 ? classifyIpv4(parsed) : classifyIpv6(parsed)
}

function classifyIpv4(address: ipaddr.IPv4): AddressClass {
  const extra = extraIpv4.find(({ base, bits }) => address.match(base, bits))
  if (extra !== undefined) return refused(extra.kind)
  const range = address.range()
  return range === 'unicast' ? PUBLIC : refused(KIND_OF_RANGE[range] ?? 'reserved')
}

function classifyIpv6(address: ipaddr.IPv6): AddressClass {
  const extra = extraIpv6.find(({ base, bits }) => address.match(base, bits))
  if (extra !== undefined) return refused(extra.kind)
  const range = address.range()
  if (range !== 'unicast') return refused(KIND_OF_RANGE[range] ?? 'reserved')
  // RFC 4291 section 2.5.5.1, deprecated, but unicast in ipaddr.js: `[::7f00:1]` is 127.0.0.1.
  if (address.parts.slice(0, 6).every((part) => part === 0)) return refused('IPv4-compatible')
  // RFC 5214 section 6.1: the interface id 0000:5efe or 0200:5efe and then an IPv4 address, under any prefix.
  if ((address.parts[4]! & 0xfdff) === 0 && address.parts[5] === 0x5efe) return refused('ISATAP')
  // IANA assigns global unicast only from 2000::/3 (RFC 4291 section 2.4); the rest is unassigned.
  return (address.parts[0]! & 0xe000) === 0x2000 ? PUBLIC : refused('reserved')
}

function refused(kind: AddressKind): AddressClass {
  return { public: false, kind }
}
