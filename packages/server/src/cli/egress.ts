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

/** As patient as an attempt, of which names may take half; each probe has its own limit. */
const PROBE_TIMEOUT_MS = 10_000

/** What it asks is the operator's choice, where that is named, and need not be public. */
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

/** What all connections have in common. */
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
    // Those that an attempt no longer waits for may still be being made.
    maxConnectionsPerDestination: 2 * config.maxInFlightPerWebhook,
    idleConnections,
  })
  return new Sender({ agent, clock, timeoutMs })
}
