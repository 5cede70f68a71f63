import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { type MetricsText, readMetrics } from '../../support/metricsText.ts'
import { eventually } from '../../support/waiting.ts'
import type { FaultNode } from './node.ts'

/** The resources that a process holds. */
export interface Resources {
  readonly fileDescriptors: number
  readonly sockets: number
  /** Node's own: sockets, ports, requests and the like that keep a process alive. */
  readonly activeResources: number
  readonly rssBytes: number
}

const IDLE_WITHIN_MS = 30_000

/** Waits until a node has recorded all its attempts. */
export async function idle(node: FaultNode): Promise<void> {
  await eventually(
    async () => {
      const metrics = await readMetrics(node.url)
      const attempted = metrics.sum('posthorn_attempts_total') + metrics.sum('posthorn_test_attempts_total')
      return attempted === metrics.sum('posthorn_attempts_recorded_total') ? true : null
    },
    { withinMs: IDLE_WITHIN_MS, everyMs: 50, what: `${node.name} to record all that it attempted` },
  )
}

export const resourcesOf = async ({ url, pid }: FaultNode): Promise<Resources> =>
  resourcesIn(await readMetrics(url), pid)

/** @param metrics that the process has just returned */
export function resourcesIn(metrics: MetricsText, pid: number): Resources {
  const files = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // Closed since the directory was read.
      return []
    }
  })
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    fileDescriptors: files.length,
    sockets: files.filter((target) => target.startsWith('socket:')).length,
    activeResources: metrics.sum('nodejs_active_resources_total'),
    rssBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
  }
}
