import { parseEgressRules } from '../core/targets/index.ts'
import { createTrust, parseProxyUrl, type Target } from '../engine/egress/index.ts'
import { readTextFile } from './config/textFile.ts'

export function egressAllow(value: string): string {
  parseEgressRules({ allow: value })
  return value
}

export function egressPorts(value: string): string {
  parseEgressRules({ ports: value })
  return value
}

export function proxyUrl(value: string): string {
  parseProxyUrl(value)
  return value
}

export function proxyResolve(value: string): 'proxy' | 'local' {
  if (value !== 'proxy' && value !== 'local') throw new Error(`use proxy or local (got "${value}")`)
  return value
}

/** @param value `host:port`; an IPv6 address in brackets */
export function probeTarget(value: string): Target {
  const url = URL.canParse(`tcp://${value}`) ? new URL(`tcp://${value}`) : null
  if (url === null || url.hostname === '' || url.port === '' || url.host !== value)
    throw new Error(`"${value}" is not host:port, such as one.one.one.one:443`)
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (url.port === '0' || hostname.includes(',') || hostname.includes('*'))
    throw new Error(
      `"${value}" is not a single host with a port from 1 to 65535, such as one.one.one.one:443`,
    )
  // Rejects anything that is neither a name nor an address, with the reason.
  parseEgressRules({ allow: hostname })
  return { protocol: 'http:', hostname, host: url.host, port: url.port }
}

export function certificates(file: string): string {
  const { text } = readTextFile(file)
  createTrust(text)
  return text
}
