import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Certificates, makeCertificates } from './receivers/certificate.ts'
import type { Scratch } from './scratch.ts'
import type { DemoService, RunningService } from './service.ts'
import type { Timing } from './timing.ts'

/** The real service on an embedded store. Both are removed at the end. */
export interface Workplace extends RunningService {
  readonly certificates: Certificates
}

export async function openWorkplace(
  service: DemoService,
  { dir, logFile }: Scratch,
  { retry, timeout }: Timing,
): Promise<Workplace> {
  const certificates = await makeCertificates()
  const authorityFile = path.join(dir, 'authority.pem')
  writeFileSync(authorityFile, certificates.authority)
  const dataDir = path.join(dir, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const { url, adminToken, stop } = await service.start({ dataDir, logFile, authorityFile, retry, timeout })
  return { url, adminToken, certificates, stop }
}
