import { Server as TlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Quotas } from '../core/quotas.ts'
import { createTrust, type Trust } from '../engine/egress/index.ts'
import type { BodyBudget } from '../http/shared/bodies/budget.ts'
import type { Connections } from '../http/shared/bodies/connections.ts'
import { secureContextOf } from '../http/shared/servers.ts'
import { quotasOf } from './config/parseConfig.ts'
import type { Config } from './settings.ts'
import type { SettingWatch } from './settingWatch.ts'

/** The parts of a service whose settings may change while it runs. */
interface Parts {
  readonly app: Pick<FastifyInstance, 'server' | 'adminServer'>
  readonly trust: Trust
  /** Every quota check reads it here. */
  readonly quotas: Quotas
  readonly connections: readonly Connections[]
  readonly bodyBudget: BodyBudget
  readonly settingWatch: SettingWatch
}

/**
 * Prepares everything that can fail with new settings, such as certificates, and changes nothing.
 * @returns a function that applies all of them; it does not fail
 * @throws Error when they cannot be applied
 */
export function prepareSettings(parts: Parts, config: Config): () => void {
  const { app, quotas, trust, connections, bodyBudget, settingWatch } = parts
  const identity = config.tls === null ? null : secureContextOf(config.tls)
  if (identity !== null) createSecureContext(identity)
  const context = createTrust(config.egressCa ?? undefined)
  const replaceWarnings = settingWatch.prepare(config)
  return () => {
    for (const server of [app.server, app.adminServer])
      if (identity !== null && server instanceof TlsServer) server.setSecureContext(identity)
    trust.replace(context)
    Object.assign(quotas, quotasOf(config))
    for (const each of connections) each.setMax(config.maxConnections)
    bodyBudget.setMax(config.maxBodyBytes)
    replaceWarnings()
  }
}
