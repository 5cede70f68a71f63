import { Server as TlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../core/clock.ts'
import type { Quotas } from '../core/quotas.ts'
import { createTrust, type Trust } from '../engine/egress/index.ts'
import type { Logger } from '../engine/log/logger.ts'
import type { Warnings } from '../engine/log/warnings.ts'
import type { BodyBudget } from '../http/shared/bodies/budget.ts'
import type { Connections } from '../http/shared/bodies/connections.ts'
import { secureContextOf } from '../http/shared/servers.ts'
import { quotasOf } from './config/parseConfig.ts'
import type { Config } from './settings.ts'
import { type SettingWarning, settingWarnings } from './settingWarnings.ts'

/** The parts of a service whose settings may change while it runs. */
interface Parts {
  readonly app: Pick<FastifyInstance, 'server' | 'adminServer'>
  readonly trust: Trust
  /** Everyone who applies them reads them here. */
  readonly quotas: Quotas
  readonly connections: readonly Connections[]
  readonly bodyBudget: BodyBudget
  readonly warnings: SettingWarningsGiven
}

/**
 * Makes everything that could fail for new settings, such as certificates, and changes nothing.
 * @returns what applies all of them at once
 * @throws Error when they cannot be applied
 */
export function prepareSettings(parts: Parts, config: Config): () => void {
  const { app, quotas, trust, connections, bodyBudget, warnings } = parts
  const identity = config.tls === null ? null : secureContextOf(config.tls)
  if (identity !== null) createSecureContext(identity)
  const context = createTrust(config.egressCa ?? undefined)
  const warned = settingWarnings(config, Date.now())
  return () => {
    for (const server of [app.server, app.adminServer])
      if (identity !== null && server instanceof TlsServer) server.setSecureContext(identity)
    trust.replace(context)
    Object.assign(quotas, quotasOf(config))
    for (const each of connections) each.setMax(config.maxConnections)
    bodyBudget.setMax(config.maxBodyBytes)
    warnings.replace(warned)
  }
}

/** What operators are warned of because of settings, in the log and wherever else warnings are shown. */
export class SettingWarningsGiven {
  readonly #warnings: Warnings
  readonly #logger: Logger
  readonly #clock: Pick<Clock, 'now'>
  readonly #texts = new Map<SettingWarning['code'], string>()

  constructor(warnings: Warnings, logger: Logger, clock: Pick<Clock, 'now'>) {
    this.#warnings = warnings
    this.#logger = logger
    this.#clock = clock
  }

  /** Warns of these alone from now on. What was warned of before is not logged once more. */
  replace(given: readonly SettingWarning[]): void {
    for (const code of this.#texts.keys()) {
      if (given.some((warning) => warning.code === code)) continue
      this.#warnings.withdraw(code)
      this.#texts.delete(code)
    }
    for (const { code, text } of given) {
      if (this.#texts.get(code) === text) continue
      this.#texts.set(code, text)
      this.#logger.warn({ code }, text)
      this.#warnings.give({ code, text, since: this.#clock.now() })
    }
  }
}
