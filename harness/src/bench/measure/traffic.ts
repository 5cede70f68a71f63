import { execFileSync } from 'node:child_process'

/** Ports at which the service and those that it talks to listen. */
export interface Ports {
  /** Of all nodes. */
  readonly services: readonly number[]
  readonly receivers: readonly number[]
  /** `null`: the store is within the service. */
  readonly database: number | null
}

/** Bytes of payload both ways, between the service and each of the others; NaN where they cannot be counted. */
export interface Traffic {
  readonly publishers: number
  readonly receivers: number
  readonly database: number
}

type Hop = keyof Traffic

/** The bytes of each connection that the service has, by its two ports; `null` where `ss` is missing. */
export type ConnectionBytes = ReadonlyMap<string, { readonly hop: Hop; readonly bytes: number }> | null

/** What connections have carried since they were opened, from the system's own account of them. */
export function connectionBytes(ports: Ports): ConnectionBytes {
  let listed: string
  try {
    listed = execFileSync('ss', ['-tinHO', 'state', 'established'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  } catch {
    return null
  }
  return parseConnections(listed, ports)
}

/** @param listed a connection a line, as `ss -tinHO state established` writes them */
export function parseConnections(listed: string, ports: Ports): ConnectionBytes {
  const connections = new Map<string, { hop: Hop; bytes: number }>()
  for (const line of listed.split('\n')) {
    const [local, peer] = [...line.matchAll(/\S:(\d+)(?=\s)/g)].map(([, port]) => Number(port))
    if (local === undefined || peer === undefined) continue
    const hop = hopOf(local, peer, ports)
    if (hop === null) continue
    const bytes = countOf(line, 'bytes_sent') + countOf(line, 'bytes_received')
    connections.set(`${local} ${peer}`, { hop, bytes })
  }
  return connections
}

/** What was carried between two looks; of a connection that was closed meanwhile, what came after the first is missed. */
export function trafficBetween(before: ConnectionBytes, after: ConnectionBytes): Traffic {
  if (before === null || after === null)
    return { publishers: Number.NaN, receivers: Number.NaN, database: Number.NaN }
  const traffic = { publishers: 0, receivers: 0, database: 0 }
  for (const [connection, { hop, bytes }] of after)
    traffic[hop] += bytes - (before.get(connection)?.bytes ?? 0)
  return traffic
}

/** The service's own end of a connection alone counts: on one machine both ends are listed. */
function hopOf(local: number, peer: number, ports: Ports): Hop | null {
  if (ports.services.includes(local)) return 'publishers'
  if (ports.receivers.includes(peer)) return 'receivers'
  return peer === ports.database ? 'database' : null
}

function countOf(line: string, name: string): number {
  return Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0)
}
