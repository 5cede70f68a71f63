import { setTimeout as sleep } from 'node:timers/promises'
import { skewedBy } from '../../support/clockSkew.ts'
import type { PosthornProcess } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import { decimals, whole } from '../frame/figures.ts'
import { ratio, ratioFigure } from '../frame/ratio.ts'
import type { Goal, Scenario } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { BATCH_EVENTS, FullSpeedPublisher } from '../measure/fullSpeedPublisher.ts'
import { spreadIn } from '../measure/latencies.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { acceptedBy, measureWhile, PacedPublisher, type Stretch, singlesOf } from '../measure/paced.ts'
import { startWatchedReceiver, type WatchedReceiver } from '../measure/watchedReceiver.ts'
import type { Stream } from '../programs/pacedPublisher.ts'
import type { Stage } from '../stage/stage.ts'

const FLAGS = {
  pending: { kind: 'count', help: `events, in batches of ${BATCH_EVENTS}`, usual: 100_000, quick: 40_000 },
  answer: { kind: 'count', help: 'what the receiver that came back takes to answer, ms', usual: 5 },
  webhooks: { kind: 'count', help: 'of the others', usual: 50 },
  rate: { kind: 'count', help: 'single publishes a second to the others', usual: 500 },
} as const

const VARIANT = 'posthorn'
const OTHERS = 'others'
const RETURNING = 'returning'
/** A webhook that has been failing for a day is switched off with all that is pending, so it is an hour less. */
const OUTAGE_MS = 23 * 3_600_000
const LIMIT = 10
const SERVICE = { POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK: String(LIMIT) }
const OUTAGE_WITHIN_MS = 300_000
const CATCH_UP_WITHIN_MS = 600_000

const duringToAfter = (what: string, figure: string) =>
  ratioFigure(
    `${what} of others, during to after`,
    ratio([VARIANT, `during${figure}`], [VARIANT, `after${figure}`]),
  )

export const recovery: Scenario<typeof FLAGS> = {
  name: 'recovery',
  summary:
    'a receiver comes back after a day (the node that published had its clock 23 hours back): all is due at once',
  flags: FLAGS,
  ...USUAL,
  // On PostgreSQL the clock of the database says what is due, and that of a node makes no day of it.
  stores: ['sqlite'],
  variants: () => [VARIANT],
  figures: {
    catchUpSeconds: decimals('catching up, s', 1),
    deliveriesPerSecond: whole('deliveries/s of the backlog'),
    mostInFlight: whole('in flight at the receiver, at most'),
    duringP50Ms: decimals('others received p50 ms, during', 2),
    duringP99Ms: decimals('others received p99 ms, during', 2),
    duringMaxMs: decimals('others received max ms, during', 1),
    afterP50Ms: decimals('others received p50 ms, after', 2),
    afterP99Ms: decimals('others received p99 ms, after', 2),
    afterMaxMs: decimals('others received max ms, after', 1),
  },
  derived: {
    p50Ratio: duringToAfter('p50', 'P50Ms'),
    p99Ratio: duringToAfter('p99', 'P99Ms'),
  },
  headline: 'catchUpSeconds',
  goals: (): Goal[] => [
    { variant: VARIANT, figure: 'mostInFlight', atMost: LIMIT },
    { figure: 'p99Ratio', atMost: 1.5 },
  ],

  round: (settings) => () =>
    measureOnStage(settings, async (stage) => {
      const { flags } = settings
      const others = await startWatchedReceiver(stage, OTHERS)
      const returning = await startWatchedReceiver(stage, RETURNING)
      const pending = Math.ceil(flags.pending / BATCH_EVENTS) * BATCH_EVENTS

      const yesterday = await stage.startService({ ...SERVICE, ...skewedBy(-OUTAGE_MS) })
      const hooksAt = ({ origin, group }: WatchedReceiver, webhooks: number) =>
        prepareLoad(() => yesterday.url, { webhooks, receiverOrigin: origin, group })
      const streams = singlesOf(await hooksAt(others, flags.webhooks), flags.rate)
      await publishInOutage(stage, yesterday, await hooksAt(returning, 1), returning, pending)
      await yesterday.stop()

      await comeBack(returning, flags.answer)
      const today = await stage.startService(SERVICE)
      const catchingUp = timeToAccept(returning, pending)
      // Where the others fail first, that is what there is to tell.
      catchingUp.catch(() => undefined)
      // The same node both times, in windows of the same length.
      const measure = (publishedBefore: number) =>
        measureOthers(stage, today.url, streams, others, publishedBefore, {
          // As long as the window, until the code is compiled.
          warmUpSeconds: settings.seconds,
          during: async () => {
            await sleep(settings.seconds * 1000)
            return (await acceptedOf(returning)) < pending
          },
        })
      const during = await measure(0)
      const { seconds, mostInFlight } = await catchingUp
      const after = await measure(during.result.published)
      for (const { receiver } of [others, returning]) await receiver.ask({ kind: 'finish' }, 'finished')
      const meanwhile = spreadIn(during.result.received.latencies, OTHERS)
      const then = spreadIn(after.result.received.latencies, OTHERS)
      return {
        figures: {
          catchUpSeconds: seconds,
          deliveriesPerSecond: pending / seconds,
          mostInFlight,
          duringP50Ms: meanwhile.p50Ms,
          duringP99Ms: meanwhile.p99Ms,
          duringMaxMs: meanwhile.maxMs,
          afterP50Ms: then.p50Ms,
          afterP99Ms: then.p99Ms,
          afterMaxMs: then.maxMs,
        },
        complaints: [
          ...[others, returning].flatMap((watched) =>
            watched.complaints().map((text) => `${watched.group}: ${text}`),
          ),
          ...(during.meanwhile
            ? []
            : [
                'the backlog was sent before its window was over: it takes more --pending or fewer --seconds',
              ]),
        ],
      }
    }),
}

async function measureOthers<T>(
  stage: Stage,
  url: string,
  streams: readonly Stream[],
  { receiver, acknowledgedFile }: WatchedReceiver,
  publishedBefore: number,
  stretch: Stretch<T>,
) {
  const publisher = await PacedPublisher.start(stage, url, streams, acknowledgedFile)
  return measureWhile(publisher, receiver, stretch, (acknowledged) => publishedBefore + acknowledged)
}

/** Publishes while the receiver answers 503, until it was asked as often as there are events. */
async function publishInOutage(
  stage: Stage,
  service: PosthornProcess,
  hooks: readonly Hook[],
  { group, receiver, acknowledgedFile }: WatchedReceiver,
  events: number,
): Promise<void> {
  await receiver.ask({ kind: 'behave', group, behaviour: { kind: 'status', status: 503 } }, 'done')
  const publisher = FullSpeedPublisher.start(stage, [service], hooks, {
    idsFile: acknowledgedFile,
    maxOutstanding: events,
  })
  const until = (what: string, reached: () => Promise<number>) =>
    eventually(async () => ((await reached()) >= events ? true : null), {
      withinMs: OUTAGE_WITHIN_MS,
      everyMs: 100,
      what,
    })
  await until('publishes', async () => (await publisher.count()).acknowledged)
  await publisher.finish()
  await until('attempts', async () => (await receiver.ask({ kind: 'report' }, 'report')).requests)
}

/** Answers with 204 again, and counts what is in flight from now on. */
async function comeBack({ group, receiver }: WatchedReceiver, delayMs: number): Promise<void> {
  await receiver.ask({ kind: 'behave', group, behaviour: { kind: 'slow', delayMs } }, 'done')
  await receiver.ask({ kind: 'begin' }, 'done')
}

const acceptedOf = async ({ group, receiver }: WatchedReceiver) =>
  (await receiver.ask({ kind: 'report' }, 'report')).accepted[group] ?? 0

async function timeToAccept({ group, receiver }: WatchedReceiver, events: number) {
  const startedAt = performance.now()
  const { mostInFlight } = await acceptedBy(receiver, events, CATCH_UP_WITHIN_MS)
  return { seconds: (performance.now() - startedAt) / 1000, mostInFlight: mostInFlight[group] ?? Number.NaN }
}
