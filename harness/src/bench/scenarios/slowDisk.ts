import { createWorkspace } from '../../support/workspaces.ts'
import { decimals } from '../frame/metrics.ts'
import { lastToFirst, ratioMetric } from '../frame/ratio.ts'
import type { Scenario } from '../frame/scenario.ts'
import { USUAL, WEBHOOKS } from '../frame/usual.ts'
import { FULL_SPEED_METRICS, runFullSpeed } from '../measure/fullSpeed.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { compileSlowSync } from '../stage/slowSync.ts'

const FLAGS = {
  webhooks: WEBHOOKS,
  delay: { kind: 'count', help: 'additional time of every sync, ms', usual: 5 },
} as const

const PLAIN = 'plain'
const slowed = (delayMs: number) => `+${delayMs} ms`
/** A workspace and its key. */
const COMMITS_OF_WORKSPACE = 2
const WORKSPACES = 10

export const slowDisk: Scenario<typeof FLAGS> = {
  name: 'slow-disk',
  summary: 'throughput with and without a delay in every sync to disk, of the service or of PostgreSQL',
  flags: FLAGS,
  ...USUAL,
  variants: ({ flags }) => [PLAIN, slowed(flags.delay)],
  metrics: { ...FULL_SPEED_METRICS, workspaceMs: decimals('creating a workspace, fastest ms', 1) },
  derived: { kept: ratioMetric('throughput kept', lastToFirst('deliveriesPerSecond')) },
  headline: 'deliveriesPerSecond',
  goals: ({ flags }) => [
    { metric: 'kept', atLeast: 0.9 },
    { variant: slowed(flags.delay), metric: 'loopDelayP99Ms', atMost: 20 },
  ],

  round(settings) {
    const { seconds, flags } = settings
    const { webhooks, delay } = flags
    // Checked first, since a machine may have no compiler.
    const library = compileSlowSync(delay)
    return (variant) => {
      const [delayMs, preload] = variant === PLAIN ? [0, null] : [delay, library]
      return measureOnStage(
        settings,
        async (stage) => {
          const service = await stage.startService()
          const workspaceMs = await leastTimeOfWorkspace(() => service.url)
          const { metrics, complaints } = await runFullSpeed(stage, [service], { seconds, webhooks })
          const isSlow = workspaceMs >= COMMITS_OF_WORKSPACE * delayMs
          return {
            metrics: { ...metrics, workspaceMs },
            complaints: [...complaints, ...(isSlow ? [] : ['the disk was not slowed down'])],
          }
        },
        preload,
      )
    }
  },
}

/** Shows that syncs are slowed, with no other writer at the time. @returns ms */
async function leastTimeOfWorkspace(url: () => string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let number = 0; number < WORKSPACES; number++) {
    const startedAt = performance.now()
    await createWorkspace(url, 'content', `probe-${number}`)
    least = Math.min(least, performance.now() - startedAt)
  }
  return least
}
