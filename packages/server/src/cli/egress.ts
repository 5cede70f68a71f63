import type { Clock } from '../core/clock.ts'
import { parseEgressRules } from '../core/targets/index.ts'
import { Sender } from '../engine/attempt/sender.ts'
import {
  createEgressAgent,
  type EgressAgent,
  type IdleConnections,
  Silence,
  Trust,
} from '../engine/egress/index.ts'
import type { Config } from './settings.ts'

/** The timeout of an attempt, half of which is for DNS; each probe has its own limit. */
const PROBE_TIMEOUT_MS = 10_000

/** The operator chose these targets, so they need not be public. */
export function proberOf(config: Config, egress: Egress): EgressAgent {
  const { egressAllow: allow, egressPorts, egressProbe } = config
  const named = egressProbe === null ? [] : [egressProbe.hostname]
  return createEgressAgent({
    ...egress,
    rules: parseEgressRules({
      allow: [...(allow === null ? [] : [allow]), ...named].join(',') || undefined,
      ports: egressPorts ?? undefined,
    }),
    connectTimeoutMs: PROBE_TIMEOUT_MS,
    maxConnectionsPerDestination: 1,
  })
}

/** The options of all connections. */
type Egress = ReturnType<typeof egressOf>

export const egressOf = ({ egressCa, egressProxy, egressProxyResolve }: Config) => ({
  silence: new Silence(),
  trust: new Trust(egressCa ?? undefined),
  proxy: egressProxy ?? undefined,
  proxyResolve: egressProxyResolve,
})

export function senderOf(
  timeoutMs: number,
  config: Config,
  egress: Egress,
  clock: Clock,
  idleConnections: IdleConnections,
): Sender {
  const agent = createEgressAgent({
    ...egress,
    rules: config.egressRules,
    connectTimeoutMs: timeoutMs,
    // Connects that their attempt no longer waits for may still be in progress.
    maxConnectionsPerDestination: 2 * config.maxInFlightPerWebhook,
    idleConnections,
  })
  return new Sender({ agent, clock, timeoutMs })
}
