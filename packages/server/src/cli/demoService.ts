import { randomBytes } from 'node:crypto'
import type { DemoService } from '@posthorn/demo'
import { pino } from 'pino'
import { systemClock } from '../core/clock.ts'
import { silentTrail } from '../engine/log/trail.ts'
import { createSecretBox } from '../engine/secretBox.ts'
import { adsCatalog, contentCatalog } from '../profiles/builtIn.ts'
import { openSqliteStorage } from '../storage/sqlite/open.ts'
import { parseConfig } from './config/parseConfig.ts'
import { startService } from './service.ts'
import { embeddedFacts } from './storeFacts.ts'

/** The part of the service that the demo may use. */
export const demoService: DemoService = {
  catalogs: { content: contentCatalog, ads: adsCatalog },
  async start({ dataDir, logFile, authorityFile, retry, timeout }) {
    const adminToken = `pha_${randomBytes(32).toString('base64url')}`
    const service = await startService({
      config: parseConfig({
        port: '0',
        dataDir,
        egressAllow: '127.0.0.1',
        egressCa: authorityFile,
        contentRetry: retry,
        adsRetry: retry,
        contentTimeout: timeout,
        adsTimeout: timeout,
      }),
      storage: await openSqliteStorage({ dataDir, clock: systemClock }),
      clock: systemClock,
      counter: null,
      facts: embeddedFacts(dataDir),
      trail: silentTrail,
      adminToken,
      secretBox: createSecretBox([Uint8Array.from(randomBytes(32))]),
      // Written synchronously: after a failure, the file must have everything when the process exits.
      logger: pino({ base: null }, pino.destination({ dest: logFile, sync: true })),
    })
    return { url: service.url, adminToken, stop: () => service.stop() }
  },
}
