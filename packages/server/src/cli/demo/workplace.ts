import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import { systemClock } from '../../core/clock.ts'
import { openSqliteStorage } from '../../storage/sqlite/open.ts'
import { startService } from '../service.ts'
import { parseConfig } from '../settings.ts'
import { type Certificates, makeCertificates } from './certificate.ts'
import type { Pace } from './pace.ts'
import type { Scratch } from './scratch.ts'

/** The real service on an embedded store, both gone at the end. */
export interface Workplace {
  readonly url: string
  readonly adminToken: string
  readonly certificates: Certificates
  stop(): Promise<void>
}

export async function openWorkplace({ dir, logFile }: Scratch, pace: Pace): Promise<Workplace> {
  const certificates = await makeCertificates()
  const authorityFile = path.join(dir, 'authority.pem')
  writeFileSync(authorityFile, certificates.authority)
  const dataDir = path.join(dir, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const adminToken = `pha_${randomBytes(32).toString('base64url')}`
  const service = await startService({
    config: parseConfig({
      port: '0',
      dataDir,
      egressAllow: '127.0.0.1',
      egressCa: authorityFile,
      contentRetry: pace.retry,
      adsRetry: pace.retry,
      contentTimeout: pace.timeout,
      adsTimeout: pace.timeout,
    }),
    storage: await openSqliteStorage({ dataDir, clock: systemClock }),
    clock: systemClock,
    counter: null,
    adminToken,
    masterKey: Uint8Array.from(randomBytes(32)),
    // Written at once: what led to a failure has to be in the file when the process ends.
    logger: pino({ base: null }, pino.destination({ dest: logFile, sync: true })),
  })
  return { url: service.url, adminToken, certificates, stop: () => service.stop() }
}
