import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { eventually } from '../../support/waiting.ts'
import type { FaultNode } from './node.ts'

/** What a process holds on to. */
export interface Resources {
  readonly fileDescriptors: number
  readonly sockets: number
  /** Of Node: sockets, ports, requests and the like that keep a process up. */
  readonly activeResources: number
  readonly rssBytes: number
}

const IDLE_WITHIN_MS = 30_000

/** Sums of the samples of each metric, over all labels. */
class Metrics {
  readonly #lines: readonly string[]

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  sum(name: string): number {
    return this.#lines
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  }
}

async function metricsOf({ url }: FaultNode): Promise<Metrics> {
  return new Metrics(await (await fetch(`${url}/metrics`)).text())
}

/** Waits until a node has recorded all that it attempted. */
export async function idle(node: FaultNode): Promise<void> {
  await eventually(
    async () => {
      const metrics = await metricsOf(node)
      const attempted = metrics.sum('posthorn_attempts_total') + metrics.sum('posthorn_test_attempts_total')
      return attempted === metrics.sum('posthorn_attempts_recorded_total') ? true : null
    },
    { withinMs: IDLE_WITHIN_MS, everyMs: 50, what: `${node.name} to record all that it attempted` },
  )
}

export async function resourcesOf(node: FaultNode): Promise<Resources> {
  const metrics = await metricsOf(node)
  const files = readdirSync(`/proc/${node.pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${node.pid}/fd/${fd}`)]
    } catch {
      // Closed since the directory was read.
      return []
    }
  })
  const status = readFileSync(`/proc/${node.pid}/status`, 'utf8')
  return {
    fileDescriptors: files.length,
    sockets: files.filter((target) => target.startsWith('socket:')).length,
    activeResources: metrics.sum('nodejs_active_resources_total'),
    rssBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
  }
}
