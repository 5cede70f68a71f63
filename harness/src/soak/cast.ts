import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Collector } from '../otlp/collector.ts'
import type { Behavior } from '../receivers/behavior.ts'
import { EVENTS } from '../support/events.ts'
import { type PosthornProcess, startService } from '../support/posthorn.ts'
import type { DialectName, WorkspaceClient } from '../support/workspaces.ts'
import type { LogWatch } from './logWatch.ts'
import type { SoakReceiver } from './soakReceiver.ts'

/** Single publishes. */
export const PER_SECOND = { content: 100, ads: 1 } as const satisfies Record<DialectName, number>
/** Of publish requests. */
export const SAMPLED = 0.01
/** Attempts to the hook that never answers: the first, and the retries of the ads service. */
export const HANGING_ATTEMPTS = 3
/**
 * The service deletes expired rows once, at this share of the time; its next round would be an hour later.
 */
export const DELETES_AT = 0.6
/** As a share of the time. */
const RETENTION = 0.1
/** Longer than any delivery that finally succeeds takes. */
const LEAST_RETENTION_S = 20

export interface Hook {
  readonly name: string
  readonly path: string
  readonly dialect: DialectName
  readonly behavior: Behavior
}

export const FAILING: Hook = {
  name: 'failing at times',
  path: '/failing',
  dialect: 'content',
  behavior: { kind: 'flaky' },
}
export const HANGING: Hook = {
  name: 'hanging',
  path: '/hanging',
  dialect: 'ads',
  behavior: { kind: 'trick', trick: 'silence' },
}
export const HOOKS: readonly Hook[] = [
  { name: 'healthy', path: '/healthy', dialect: 'content', behavior: { kind: 'prompt' } },
  { name: 'slow', path: '/slow', dialect: 'content', behavior: { kind: 'slow', delayMs: 250 } },
  FAILING,
  HANGING,
]

/** @returns the ids of the webhooks */
export async function makeHooks(
  receiver: SoakReceiver,
  workspaces: Readonly<Record<DialectName, WorkspaceClient>>,
): Promise<string[]> {
  const ids: string[] = []
  for (const { name: _, ...hook } of HOOKS)
    ids.push(await receiver.hook(workspaces[hook.dialect], { ...hook, types: [EVENTS[hook.dialect].common] }))
  return ids
}

interface ServiceParams {
  readonly dataDir: string
  readonly receiver: SoakReceiver
  readonly collector: Collector
  readonly seconds: number
  readonly log: LogWatch
}

export function startSoakedService(params: ServiceParams): Promise<PosthornProcess> {
  const { dataDir, receiver, collector, seconds, log } = params
  const certificate = path.join(path.dirname(dataDir), 'receiver.pem')
  writeFileSync(certificate, receiver.certificate)
  return startService({
    dataDir,
    onOutput: (text) => log.read(text),
    settings: {
      POSTHORN_MASTER_KEY: randomBytes(32).toString('base64'),
      POSTHORN_EGRESS_CA_FILE: certificate,
      POSTHORN_OTLP_ENDPOINT: collector.url,
      POSTHORN_OTLP_METRICS_EVERY: '5s',
      POSTHORN_TRACE_SAMPLING: String(SAMPLED),
      POSTHORN_CONTENT_RETRY: '1s,2s,5s,10s,30s,60s',
      POSTHORN_CONTENT_TIMEOUT: '5s',
      POSTHORN_ADS_RETRY: Array.from({ length: HANGING_ATTEMPTS - 1 }, () => '1s').join(','),
      POSTHORN_ADS_TIMEOUT: '2s',
      // Only the slow receiver has 25 requests in flight.
      POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK: '64',
      POSTHORN_RETENTION: `${Math.max(LEAST_RETENTION_S, Math.round(seconds * RETENTION))}s`,
      POSTHORN_CLOCK_GRACE: `${Math.round(seconds * DELETES_AT)}s`,
    },
  })
}
