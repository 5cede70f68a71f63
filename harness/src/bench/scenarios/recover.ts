import { Api } from '../../support/http.ts'
import type { PosthornProcess } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import type { Scenario } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { prepareLoad } from '../load/prepareLoad.ts'
import {
  COMING_BACK,
  COMING_BACK_LIMIT,
  comingBackFlags,
  comingBackGoals,
  comingBackMetrics,
  comingBackRatios,
  measureComingBack,
  publishInOutage,
} from '../measure/comingBack.ts'
import { singlesOf } from '../measure/fixedRate.ts'
import { BATCH_EVENTS } from '../measure/fullSpeedPublisher.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { readIndexing } from '../measure/metrics.ts'
import { startWatchedReceiver, type WatchedReceiver } from '../measure/watchedReceiver.ts'

const FLAGS = {
  failed: { kind: 'count', help: `events, in batches of ${BATCH_EVENTS}`, usual: 100_000, quick: 40_000 },
  ...comingBackFlags,
} as const

/** Two attempts, so that deliveries soon fail for good. */
const SERVICE = {
  POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK: String(COMING_BACK_LIMIT),
  POSTHORN_CONTENT_RETRY: '1ms',
}
const ATTEMPTS = 2
const ALL = { since: '2001-01-01T00:00:00Z' }
const FAILED_WITHIN_MS = 120_000
const INDEXED_WITHIN_MS = 600_000

/** Waits until the search index contains all failed deliveries, since indexing also slows the others. */
async function indexIsAtRest({ url }: PosthornProcess): Promise<void> {
  let before = -1
  const atRest = async () => {
    const { indexed } = await readIndexing(url)
    const unchanged = indexed === before
    before = indexed
    return unchanged || null
  }
  await eventually(atRest, { withinMs: INDEXED_WITHIN_MS, everyMs: 1_000, what: 'index of the search' })
}

export const recover: Scenario<typeof FLAGS> = {
  name: 'recover',
  summary: 'recovering many failed deliveries with one request, while others publish',
  flags: FLAGS,
  ...USUAL,
  variants: () => [COMING_BACK],
  metrics: comingBackMetrics,
  derived: comingBackRatios,
  headline: 'catchUpSeconds',
  goals: () => comingBackGoals(1.2),

  round: (settings) => () =>
    measureOnStage(settings, async (stage) => {
      const { flags, seconds } = settings
      const others = await startWatchedReceiver(stage, 'others')
      const returning = await startWatchedReceiver(stage, 'returning')
      const pending = Math.ceil(flags.failed / BATCH_EVENTS) * BATCH_EVENTS

      const service = await stage.startService(SERVICE)
      const hooksAt = ({ origin, group }: WatchedReceiver, webhooks: number) =>
        prepareLoad(() => service.url, { webhooks, receiverOrigin: origin, group })
      const streams = singlesOf(await hooksAt(others, flags.webhooks), flags.rate)
      const [hook] = await hooksAt(returning, 1)
      await publishInOutage(stage, service, [hook!], returning, pending, ATTEMPTS)

      const api = new Api(() => service.url)
      const ask = (body: object) =>
        api.post<{ readonly total: number }>(`${hook!.webhookPath}/recover`, { token: hook!.key, body })
      // The last results are recorded a moment after the attempts.
      await eventually(async () => ((await ask({ ...ALL, dry_run: true })).total === pending ? true : null), {
        withinMs: FAILED_WITHIN_MS,
        everyMs: 500,
        what: 'failure of all deliveries',
      })
      await indexIsAtRest(service)
      const all = { returning, pending, answerMs: flags.answer, others, streams, seconds }
      const begin = async () => {
        await ask(ALL)
        return service
      }
      return measureComingBack(stage, all, begin, service)
    }),
}
