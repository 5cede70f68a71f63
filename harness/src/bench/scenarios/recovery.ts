import { skewedBy } from '../../support/clockSkew.ts'
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
import { startWatchedReceiver, type WatchedReceiver } from '../measure/watchedReceiver.ts'

const FLAGS = {
  pending: { kind: 'count', help: `events, in batches of ${BATCH_EVENTS}`, usual: 100_000, quick: 40_000 },
  ...comingBackFlags,
} as const

/** A webhook that fails for a day is disabled with all its pending deliveries, so this is an hour less. */
const OUTAGE_MS = 23 * 3_600_000
const SERVICE = { POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK: String(COMING_BACK_LIMIT) }

export const recovery: Scenario<typeof FLAGS> = {
  name: 'recovery',
  summary:
    'a receiver recovers after a day, so all deliveries are due at the same time (the clock of the publishing node was set back 23 hours)',
  flags: FLAGS,
  ...USUAL,
  // On PostgreSQL the database clock decides what is due, so changing a node's clock has no effect.
  stores: ['sqlite'],
  variants: () => [COMING_BACK],
  metrics: comingBackMetrics,
  derived: comingBackRatios,
  headline: 'catchUpSeconds',
  goals: () => comingBackGoals(1.5),

  round: (settings) => () =>
    measureOnStage(settings, async (stage) => {
      const { flags, seconds } = settings
      const others = await startWatchedReceiver(stage, 'others')
      const returning = await startWatchedReceiver(stage, 'returning')
      const pending = Math.ceil(flags.pending / BATCH_EVENTS) * BATCH_EVENTS

      const yesterday = await stage.startService({ ...SERVICE, ...skewedBy(-OUTAGE_MS) })
      const hooksAt = ({ origin, group }: WatchedReceiver, webhooks: number) =>
        prepareLoad(() => yesterday.url, { webhooks, receiverOrigin: origin, group })
      const streams = singlesOf(await hooksAt(others, flags.webhooks), flags.rate)
      await publishInOutage(stage, yesterday, await hooksAt(returning, 1), returning, pending)
      await yesterday.stop()
      const all = { returning, pending, answerMs: flags.answer, others, streams, seconds }
      return measureComingBack(stage, all, () => stage.startService(SERVICE))
    }),
}
