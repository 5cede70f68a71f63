/**
 * Suffixes under which no public receiver can exist. A name is rejected when it equals one of them or ends in a dot and one of
 * them. Names in public zones that resolve to a private address (`127.0.0.1.nip.io`) cannot all be listed: the check of the
 * address at connect rejects them.
 */
const SPECIAL_SUFFIXES: readonly (readonly [why: string, suffixes: readonly string[]])[] = [
  [
    'refers to the local machine',
    // RFC 6761 section 6.3, and what Linux distributions put in /etc/hosts.
    ['localhost', 'localdomain', 'localhost4', 'localhost6', 'localdomain4', 'localdomain6', 'loopback'],
  ],
  [
    'is a local network name',
    [
      'local', // RFC 6762, multicast DNS
      'home.arpa', // RFC 8375
      'internal', // ICANN resolution 2024.07.29.06
      // RFC 6762 appendix G, and other suffixes of routers and offices; ICANN has delegated none of them.
      ...['lan', 'home', 'corp', 'intranet', 'private', 'mail', 'domain', 'workgroup', 'dmz', 'vpn'],
      ...['localnet', 'router', 'gateway', 'dhcp', 'fritz.box', 'mshome.net'],
    ],
  ],
  [
    'is reserved for tests and documentation',
    ['test', 'invalid', 'example'], // RFC 6761, RFC 2606
  ],
  [
    'is not resolved by the public DNS',
    // RFC 7686 (.onion), RFC 9476 (.alt), RFC 9498 section 9 and other name systems beside the DNS.
    ['onion', 'alt', 'i2p', 'exit', 'zkey', 'gnu', 'bit'],
  ],
  [
    'belongs to the infrastructure of the DNS',
    ['arpa'], // RFC 3172: reverse zones and the like, never a receiver
  ],
  [
    'is a name inside a cluster',
    [
      // `cluster.local` falls under `.local`; Kubernetes also resolves `service.namespace` and `service.namespace.svc`.
      ...['svc', 'pod', 'default', 'kube-system', 'kube-public', 'cluster'],
      ...['consul', 'nomad', 'mesos', 'marathon', 'docker', 'podman', 'swarm', 'weave', 'lxd', 'incus'],
    ],
  ],
  [
    'is a metadata service of a cloud',
    // Most are under `.internal`; these are not. EC2 once used the name `instance-data`.
    ['metadata.goog', 'metadata.tencentyun.com', 'metadata.packet.net', 'metadata.platformequinix.com'],
  ],
]

const whyBySuffix: ReadonlyMap<string, string> = new Map(
  SPECIAL_SUFFIXES.flatMap(([why, suffixes]) => suffixes.map((suffix) => [suffix, why] as const)),
)

type NameRefusal = {
  readonly code: 'url_host_invalid' | 'url_host_local'
  /** One sentence. */
  readonly reason: string
}

/**
 * @returns why a host name cannot be a public target; `null`: it can
 * @param name as the WHATWG URL parser returns it (lower case, A-labels), without a trailing dot, not an IP literal
 */
export function refuseName(name: string): NameRefusal | null {
  return refuseSyntax(name) ?? refuseSpecial(name)
}

/**
 * The limits of RFC 1035 section 2.3.4. Underscores and hyphens at the edge of a label are allowed: RFC 1123 forbids them in
 * host names, but such names exist in the public DNS.
 */
function refuseSyntax(name: string): NameRefusal | null {
  const invalid = (reason: string): NameRefusal => ({ code: 'url_host_invalid', reason })
  if (name.includes('*'))
    return invalid('The host name has a wildcard; use the exact name that receives events.')
  if (name.length > 253)
    return invalid('The host name is longer than 253 characters, the limit of the DNS; use a shorter name.')
  for (const label of name.split('.')) {
    if (label === '')
      return invalid('The host name has an empty part; separate the parts by exactly one dot.')
    if (label.length > 63) {
      return invalid(
        'A part of the host name is longer than 63 characters, the limit of the DNS; use a shorter name.',
      )
    }
    if (!/^[a-z0-9_-]+$/.test(label)) {
      return invalid('The host name can contain only letters, digits, hyphens, underscores and dots.')
    }
  }
  return null
}

function refuseSpecial(name: string): NameRefusal | null {
  const local = (why: string): NameRefusal => ({
    code: 'url_host_local',
    reason: `The host "${name}" ${why}; use a name that public DNS resolves, such as hooks.example.com.`,
  })
  const labels = name.split('.')
  for (let i = 0; i < labels.length; i++) {
    const why = whyBySuffix.get(labels.slice(i).join('.'))
    if (why !== undefined) return local(why)
  }
  return labels.length === 1 ? local('has no dot, so it is a local network name') : null
}
