import { execFileSync } from 'node:child_process'

/** Ports of the service and of everything it connects to. */
export interface Ports {
  /** Of all nodes. */
  readonly services: readonly number[]
  readonly receivers: readonly number[]
  /** `null`: the store is embedded in the service. */
  readonly database: number | null
}

/** Payload bytes in both directions between the service and each peer; NaN where they cannot be counted. */
export interface Traffic {
  readonly publishers: number
  readonly receivers: number
  readonly database: number
}

type Hop = keyof Traffic

/** The bytes of each connection of the service, by its two ports; `null` if `ss` is missing. */
export type ConnectionBytes = ReadonlyMap<string, { readonly hop: Hop; readonly bytes: number }> | null

/** Bytes that connections carried since they were opened, as counted by the system. */
export function connectionBytes(ports: Ports): ConnectionBytes {
  let listed: string
  try {
    listed = execFileSync('ss', ['-tinHO', 'state', 'established'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  } catch {
    return null
  }
  return parseConnections(listed, ports)
}

/** @param listed one connection per line, as `ss -tinHO state established` writes them */
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

/**
 * Bytes carried between two readings. For a connection closed in between, bytes after the first reading are
 * missed.
 */
export function trafficBetween(before: ConnectionBytes, after: ConnectionBytes): Traffic {
  if (before === null || after === null)
    return { publishers: Number.NaN, receivers: Number.NaN, database: Number.NaN }
  const traffic = { publishers: 0, receivers: 0, database: 0 }
  for (const [connection, { hop, bytes }] of after)
    traffic[hop] += bytes - (before.get(connection)?.bytes ?? 0)
  return traffic
}

/** Only the service's end of a connection counts: on one machine both ends are listed. */
function hopOf(local: number, peer: number, ports: Ports): Hop | null {
  if (ports.services.includes(local)) return 'publishers'
  if (ports.receivers.includes(peer)) return 'receivers'
  return peer === ports.database ? 'database' : null
}

function countOf(line: string, name: string): number {
  return Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0)
}
