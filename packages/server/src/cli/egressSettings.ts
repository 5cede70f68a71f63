import { readFileSync } from 'node:fs'
import { parseEgressRules } from '../core/targets/index.ts'
import { createTrust, parseProxyUrl } from '../engine/egress/index.ts'

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
  if (value !== 'proxy' && value !== 'local') throw new Error(`"${value}" is neither proxy nor local`)
  return value
}

export function certificates(file: string): string {
  let pem: string
  try {
    pem = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  createTrust(pem)
  return pem
}
