import { EVENTS } from '../../support/events.ts'
import { eventually } from '../../support/waiting.ts'
import { createWorkspace } from '../../support/workspaces.ts'
import { decimals, whole } from '../frame/metrics.ts'
import type { Goal, Measurements, Prepared, Scenario } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { fillLog } from '../load/fillLog.ts'
import { readFacts } from '../load/logFacts.ts'
import { SEARCH_CALLS, searchCallsOf } from '../load/searchCalls.ts'
import { readIndexing } from '../measure/metrics.ts'
import { Reader, timeCalls } from '../measure/readCalls.ts'
import { Stage } from '../stage/stage.ts'

const FLAGS = {
  deliveries: { kind: 'count', help: 'deliveries in the log, about', usual: 1_000_000, quick: 20_000 },
  events: {
    kind: 'count',
    help: 'events published afterwards, whose indexing time is measured',
    usual: 50_000,
    quick: 2_000,
  },
  calls: { kind: 'count', help: 'calls of each kind in each round', usual: 200, quick: 20 },
} as const

/** Limit for a call, which must find all matches. */
const WITHIN_MS = 200
/** For an index of a million events on an otherwise idle machine. */
const INDEXED_WITHIN_MS = 20 * 60_000
const LOOK_EVERY_MS = 500

const INDEX = 'writing the index'
const BATCH = 500

interface Searched extends Prepared {
  measure(name: string): Promise<Measurements>
  readonly complaints: () => readonly string[]
}

export const search: Scenario<typeof FLAGS, Searched> = {
  name: 'search',
  summary: 'searching a long log by words, ids, several types and codes; the cost of its index',
  flags: FLAGS,
  ...USUAL,
  tls: false,
  seconds: null,
  variants: () => [INDEX, ...SEARCH_CALLS],
  variantsDown: true,
  metrics: {
    p50Ms: decimals('p50 ms', 1),
    p99Ms: decimals('p99 ms', 1),
    worstMs: decimals('worst ms', 1),
    indexed: whole('indexed'),
    indexMicros: decimals('µs each', 1),
    indexedAfterMs: whole('complete after ms'),
  },
  derived: {},
  headline: 'p50Ms',
  goals: (): Goal[] => SEARCH_CALLS.map((variant) => ({ variant, metric: 'p99Ms', atMost: WITHIN_MS })),
  soundness: 'every call got a response with all results',

  prepare: async (settings) => {
    const stage = await Stage.open(settings)
    try {
      const filled = await fillLog(stage, settings.flags.deliveries)
      const service = await stage.startService()
      const reader = new Reader(service.url)
      const facts = await readFacts(service.url, filled)
      const { content, ads } = filled
      // Nothing subscribes to these events, so that only the index is involved.
      const quiet = await createWorkspace(() => service.url, 'content', 'quiet')
      const feeds = [
        { path: `/v1/workspaces/${quiet.id}/events?order=newest&limit=1`, token: quiet.key },
        { path: `/v1/workspaces/${content.id}/events?order=newest&limit=1`, token: content.key },
        { path: '/api/v1/events?order=newest&limit=1', token: ads.key },
      ]
      const isIndexed = async () => {
        const pages = await Promise.all(feeds.map((feed) => reader.read<Page>(feed)))
        return pages.every(({ answer }) => (answer.indexed_until ?? answer.indexedUntil ?? null) === null)
      }
      const untilIndexed = () =>
        eventually(isIndexed, {
          withinMs: INDEXED_WITHIN_MS,
          everyMs: LOOK_EVERY_MS,
          what: 'an index of the whole log',
        })
      // Most of the log was indexed while it was created.
      await untilIndexed()
      const before = await readIndexing(service.url)
      for (let left = settings.flags.events; left > 0; left -= BATCH) {
        const { make, common } = EVENTS.content
        await quiet.publish(Array.from({ length: Math.min(left, BATCH) }, () => make(common)))
      }
      const startedAt = performance.now()
      await untilIndexed()
      const indexedAfterMs = performance.now() - startedAt
      const after = await readIndexing(service.url)
      const indexed = after.indexed - before.indexed
      const seconds = after.seconds - before.seconds
      const calls = await searchCallsOf(reader, facts)
      return {
        async measure(name) {
          if (name === INDEX)
            return { indexed, indexMicros: (seconds * 1e6) / Math.max(indexed, 1), indexedAfterMs }
          return timeCalls(reader, [calls.get(name)!], settings.flags.calls)
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

  round: (_settings, searched) => async (variant) => ({
    metrics: await searched.measure(variant),
    complaints: searched.complaints(),
  }),
}

interface Page {
  readonly indexed_until?: string | null
  readonly indexedUntil?: string | null
}
