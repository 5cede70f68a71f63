import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { pino } from 'pino'
import { VERSION } from '../engine/attempt/version.ts'
import { type SettingsRead, usable } from './config/parseConfig.ts'
import { Reloader } from './config/reload.ts'
import { changedMasterKeyFile, ensureAdminToken } from './generatedKeys.ts'
import { Hangup } from './hangup.ts'
import { logTrail } from './logTrail.ts'
import { openStore } from './openStore.ts'
import { type Service, startService } from './service.ts'
import type { Config } from './settings.ts'
import { LOG_OPTIONS, stopSignal } from './stopSignal.ts'

/** Most supervisors kill a process that takes longer, and docs/operations/installing.md promises it. */
const STOP_WITHIN_MS = 20_000
const AT_ONCE = 'second stop signal: exiting immediately; attempts in flight will be repeated'

/** Time for a stopped process to exit. An external system, such as a collector, must not keep it alive. */
const END_WITHIN_MS = 1_000

/**
 * The heap may grow to two and a half times its used size before a full garbage collection. By default it grows to four times:
 * at full load that takes a sixth more memory, and saves no measurable CPU time.
 */
const HEAP_GROWTH = '--heap-growing-percent=150'

/**
 * Runs the service until SIGTERM or SIGINT. SIGHUP reloads the settings that can change at run time.
 * @throws SettingError with a line for each mistake in the settings
 * @throws StoreOpenError when a newer program has changed the store so that this one cannot continue
 */
export async function serve(read: () => Promise<SettingsRead>): Promise<void> {
  setFlagsFromString(HEAP_GROWTH)
  const hangup = new Hangup()
  const config = usable(await read())
  const logger = pino({ ...LOG_OPTIONS, level: config.logLevel })
  const { storage, clock, secretBox, keyGeneratedIn, isNew, counter, place, facts } = await openStore(config)
  if (isNew) logger.info({ store: place }, 'created a new, empty store')
  const adminToken = ensureAdminToken(config)
  announceMasterKey(keyGeneratedIn)
  // The file has mode 0600. Logs are often kept elsewhere, and more people can read them.
  if (adminToken.generatedIn !== null) say(`Created an admin token in ${adminToken.generatedIn}.`)
  const service = await startService({
    config,
    storage,
    clock,
    counter,
    facts,
    adminToken: adminToken.value,
    secretBox,
    logger,
    trail: logTrail(logger),
  })
  const { url, adminUrl, nodeId: node } = service
  logger.info(
    { version: VERSION, node, url, ...(adminUrl === null ? {} : { admin_url: adminUrl }), store: place },
    'posthorn is listening',
  )
  const prepare = (wanted: Config) => {
    const apply = service.prepare(wanted)
    return () => {
      apply()
      logger.level = wanted.logLevel
    }
  }
  const changedFiles = (wanted: Config) => changedMasterKeyFile(wanted, secretBox.keyIds)
  const reloader = new Reloader({ running: config, read, prepare, changedFiles, logger })
  hangup.onSignal(() => void reloader.reload())
  let refusal = await Promise.race([stopSignal(AT_ONCE), service.refused])
  const { shutdownDelay } = config
  if (refusal === null && shutdownDelay > 0) {
    service.announceStop()
    logger.info(
      { delay_ms: shutdownDelay },
      'stopping soon: waiting so that proxies can switch to other nodes',
    )
    refusal = await Promise.race([sleep(shutdownDelay, null), service.refused])
  }
  logger.info({}, 'stopping: waiting for attempts in flight to finish')
  await stopInTime(service)
  logger.info({}, 'stopped')
  if (refusal !== null) throw refusal
}

export function announceMasterKey(generatedIn: string | null): void {
  if (generatedIn === null) return
  say(`Created a master key in ${generatedIn}. Keep a copy separate from the store's backups.`)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function stopInTime(service: Service): Promise<void> {
  const timer = setTimeout(() => {
    say(
      'The stop took too long, so Posthorn exits now. Attempts in flight are repeated by other nodes or after the next start.',
    )
    process.exit(0)
  }, STOP_WITHIN_MS - 500)
  await service.stop()
  clearTimeout(timer)
  setTimeout(() => process.exit(), END_WITHIN_MS).unref()
}
