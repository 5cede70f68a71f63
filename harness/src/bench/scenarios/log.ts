import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_TOKEN, type PosthornProcess } from '../../support/posthorn.ts'
import { decimals, whole } from '../frame/metrics.ts'
import type { Goal, Measurements, Prepared, Scenario } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { fillLog } from '../load/fillLog.ts'
import { LOG_CALLS, logCallsOf } from '../load/logCalls.ts'
import { readFacts } from '../load/logFacts.ts'
import { Reader, timeCalls, timeWalk } from '../measure/readCalls.ts'
import { Stage } from '../stage/stage.ts'

const FLAGS = {
  deliveries: { kind: 'count', help: 'deliveries in the log, about', usual: 1_000_000, quick: 20_000 },
  calls: { kind: 'count', help: 'calls of each kind in each round', usual: 200, quick: 20 },
} as const

/** Limit for a call; one that makes many requests has this long for each. */
const WITHIN_MS = 100
/** Time that a count of the queue has been running when the service gets the stop signal. */
const COUNTING_MS = 20
/** Returns the state of the queue, which it counts for that. */
const QUEUE = { path: '/admin/v1/nodes', token: ADMIN_TOKEN, last: true }

/** A service on a long log. */
interface Logged extends Prepared {
  measure(name: string): Promise<Measurements>
  readonly complaints: () => readonly string[]
}

export const log: Scenario<typeof FLAGS, Logged> = {
  name: 'log',
  summary: 'reading a long log of deliveries: lists by every filter, single deliveries, overviews, the queue',
  flags: FLAGS,
  ...USUAL,
  tls: false,
  seconds: null,
  variants: () => LOG_CALLS,
  variantsDown: true,
  metrics: {
    p50Ms: decimals('p50 ms', 1),
    p99Ms: decimals('p99 ms', 1),
    worstMs: decimals('worst ms', 1),
    found: whole('found'),
    callsToFirst: whole('calls to the first'),
    firstMs: whole('ms to the first'),
    callsToEnd: whole('calls to the end'),
    endMs: whole('ms to the end'),
    stopMs: whole('stop ms'),
  },
  derived: {},
  headline: 'p50Ms',
  goals: (): Goal[] => LOG_CALLS.map((variant) => ({ variant, metric: 'p99Ms', atMost: WITHIN_MS })),
  soundness: 'every call got a response',

  prepare: async (settings) => {
    const stage = await Stage.open(settings)
    try {
      const filled = await fillLog(stage, settings.flags.deliveries)
      let service = await stage.startService()
      let reader = new Reader(service.url)
      const calls = logCallsOf(await readFacts(service.url, filled))
      const begin = async (started: Promise<PosthornProcess>) => {
        await reader.close()
        service = await started
        reader = new Reader(service.url)
      }
      const countQueue = async () => {
        await service.stop()
        await begin(stage.startService())
        const { ms } = await reader.read(QUEUE)
        await service.stop()
        await begin(stage.startService())
        const counting = reader.read(QUEUE).catch(() => undefined)
        await sleep(COUNTING_MS)
        const startedAt = performance.now()
        await service.stop()
        const stopMs = performance.now() - startedAt
        await counting
        await begin(stage.startService())
        return { p50Ms: ms, p99Ms: ms, worstMs: ms, stopMs }
      }
      return {
        async measure(name) {
          const call = calls.get(name)!
          if (call.kind === 'queue') return countQueue()
          return call.kind === 'walk'
            ? timeWalk(reader, call.call)
            : timeCalls(reader, call.calls, settings.flags.calls)
        },
        complaints: () => stage.complaints,
        close: async () => {
          await reader.close()
          await stage.close()
        },
      }
    } catch (error) {
      await stage.close()
      throw error
    }
  },

  round: (_settings, logged) => async (variant) => ({
    metrics: await logged.measure(variant),
    complaints: logged.complaints(),
  }),
}
