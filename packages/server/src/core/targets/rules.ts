import ipaddr from 'ipaddr.js'
import { parseAddress } from './address.ts'

/** Every address whose first `prefixBits` bits are those of `base` (4 or 16 bytes). */
interface AddressRange {
  readonly base: readonly number[]
  readonly prefixBits: number
}

/** What the operator allows beyond public HTTPS on ports 443 and 8443. Deeply frozen. */
export interface EgressRules {
  /** Names as the WHATWG URL parser returns them (lower case, A-labels), without a trailing dot. */
  readonly hosts: readonly string[]
  readonly ranges: readonly AddressRange[]
  readonly extraPorts: readonly number[]
}

/** Public HTTPS only: the default. */
export const PUBLIC_ONLY: EgressRules = Object.freeze({
  hosts: Object.freeze([]),
  ranges: Object.freeze([]),
  extraPorts: Object.freeze([]),
})

/**
 * Reads the operator's exceptions.
 *
 * @param allow comma-separated CIDRs, single addresses and host names (`POSTHORN_EGRESS_ALLOW`)
 * @param ports comma-separated port numbers (`POSTHORN_EGRESS_PORTS`)
 * @throws Error naming the entry that cannot be read
 */
export function parseEgressRules({
  allow,
  ports,
}: {
  readonly allow?: string | undefined
  readonly ports?: string | undefined
}): EgressRules {
  const hosts = new Set<string>()
  const ranges: AddressRange[] = []
  for (const entry of entriesOf(allow)) {
    const range = parseRange(entry)
    if (range === null) hosts.add(parseHost(entry))
    else ranges.push(range)
  }
  return Object.freeze({
    hosts: Object.freeze([...hosts]),
    ranges: Object.freeze(ranges),
    extraPorts: Object.freeze([...new Set(entriesOf(ports).map(parsePort))]),
  })
}

/** Whether the operator allowed the name. A trailing dot makes no difference. */
export function isAllowedHost(name: string, rules: EgressRules): boolean {
  if (rules.hosts.length === 0) return false
  const bare = name.endsWith('.') ? name.slice(0, -1) : name
  return rules.hosts.includes(bare.toLowerCase())
}

/** Whether the operator allowed a range with this address. An IPv4-mapped address is not unwrapped. */
export function isAllowedAddress(address: string, rules: EgressRules): boolean {
  if (rules.ranges.length === 0) return false
  const bytes = parseAddress(address)?.toByteArray()
  return bytes !== undefined && rules.ranges.some((range) => contains(range, bytes))
}

function contains({ base, prefixBits }: AddressRange, address: readonly number[]): boolean {
  if (address.length !== base.length) return false
  const wholeBytes = prefixBits >> 3
  for (let i = 0; i < wholeBytes; i++) if (address[i] !== base[i]) return false
  const restBits = prefixBits & 7
  if (restBits === 0) return true
  const mask = (0xff << (8 - restBits)) & 0xff
  return (address[wholeBytes]! & mask) === (base[wholeBytes]! & mask)
}

function entriesOf(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** A CIDR or a single address; `null` when the entry can only be a name. */
function parseRange(entry: string): AddressRange | null {
  const [addressText = '', prefixText, ...rest] = entry.split('/')
  const unbracketed = addressText.replace(/^\[(.*)\]$/, '$1')
  const address = parseAddress(unbracketed)
  if (address === null) {
    if (prefixText === undefined && !unbracketed.includes(':')) return null
    const hint = /^(?:[^:]+|\[.*\]):\d+$/.test(entry)
      ? '; remove the port: listed addresses and names can be reached on any port'
      : ''
    throw new Error(`"${entry}" is not an address, a CIDR such as 10.0.0.0/8, or a host name${hint}`)
  }
  const base = address.toByteArray()
  const maxBits = base.length * 8
  const prefixBits = prefixText === undefined ? maxBits : Number(prefixText)
  if (rest.length > 0 || !/^\d{1,3}$/.test(prefixText ?? '0') || prefixBits > maxBits) {
    throw new Error(`"${entry}" has a prefix length that is not a number from 0 to ${maxBits}`)
  }
  const network = networkOf(base, prefixBits)
  if (network.some((byte, i) => byte !== base[i])) {
    const right = `${ipaddr.fromByteArray(network).toString()}/${prefixBits}`
    throw new Error(`"${entry}" has address bits after its prefix; use ${right} or a single address`)
  }
  return Object.freeze({ base: Object.freeze(base), prefixBits })
}

function networkOf(base: readonly number[], prefixBits: number): number[] {
  return base.map((byte, i) => {
    const keptBits = Math.min(8, Math.max(0, prefixBits - i * 8))
    return byte & (0xff << (8 - keptBits)) & 0xff
  })
}

function parseHost(entry: string): string {
  const complaint = `"${entry}" is not an address, a CIDR or a host name (without scheme, port or wildcard)`
  if (!/^[\p{L}\p{N}\p{M}_.-]+$/u.test(entry) || !URL.canParse(`http://${entry}/`)) throw new Error(complaint)
  const host = new URL(`http://${entry}/`).hostname
  // The URL parser turns `127.1` and the like into an address, so the operator must write it out.
  if (parseAddress(host) !== null)
    throw new Error(`"${entry}" is an unusual spelling of ${host}; use ${host}`)
  const bare = host.replace(/\.$/, '')
  if (bare.length > 253 || !bare.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) {
    throw new Error(complaint)
  }
  return bare
}

function parsePort(entry: string): number {
  const port = Number(entry)
  if (!/^\d{1,5}$/.test(entry) || port < 1 || port > 65535) {
    throw new Error(`"${entry}" is not a port number from 1 to 65535`)
  }
  return port
}
