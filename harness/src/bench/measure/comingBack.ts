import { setTimeout as sleep } from 'node:timers/promises'
import type { PosthornProcess } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import { decimals, whole } from '../frame/metrics.ts'
import { ratio, ratioMetric } from '../frame/ratio.ts'
import type { Goal, Outcome } from '../frame/scenario.ts'
import type { Hook } from '../load/prepareLoad.ts'
import type { Stream } from '../programs/fixedRatePublisher.ts'
import type { Stage } from '../stage/stage.ts'
import { acceptedBy, FixedRatePublisher, measureWhile, type Stretch } from './fixedRate.ts'
import { FullSpeedPublisher } from './fullSpeedPublisher.ts'
import { spreadIn } from './latencies.ts'
import type { WatchedReceiver } from './watchedReceiver.ts'

const OUTAGE_WITHIN_MS = 300_000
const CATCH_UP_WITHIN_MS = 1_800_000

/** The only variant of scenarios that measure this. */
export const COMING_BACK = 'posthorn'

/** Most concurrent requests to the recovering receiver. */
export const COMING_BACK_LIMIT = 10

export const comingBackFlags = {
  answer: { kind: 'count', help: 'response time of the recovered receiver, ms', usual: 5 },
  webhooks: { kind: 'count', help: 'webhooks of the other receivers', usual: 50 },
  rate: { kind: 'count', help: 'single publish requests per second to the others', usual: 500 },
} as const

/** Of the others: how much slower they may be while the receiver catches up. */
export const comingBackGoals = (p99Ratio: number): Goal[] => [
  { variant: COMING_BACK, metric: 'mostInFlight', atMost: COMING_BACK_LIMIT },
  { metric: 'p99Ratio', atMost: p99Ratio },
]

export const comingBackMetrics = {
  catchUpSeconds: decimals('catching up, s', 1),
  deliveriesPerSecond: whole('deliveries/s of the backlog'),
  mostInFlight: whole('maximum in flight at the receiver'),
  duringP50Ms: decimals('others received p50 ms, during', 2),
  duringP99Ms: decimals('others received p99 ms, during', 2),
  duringMaxMs: decimals('others received max ms, during', 1),
  aloneP50Ms: decimals('others received p50 ms, alone', 2),
  aloneP99Ms: decimals('others received p99 ms, alone', 2),
  aloneMaxMs: decimals('others received max ms, alone', 1),
}

const duringToAlone = (what: string, metric: string) =>
  ratioMetric(
    `${what} of others, during to alone`,
    ratio([COMING_BACK, `during${metric}`], [COMING_BACK, `alone${metric}`]),
  )

export const comingBackRatios = {
  p50Ratio: duringToAlone('p50', 'P50Ms'),
  p99Ratio: duringToAlone('p99', 'P99Ms'),
}

/** A receiver that was down for a while, and all others. */
export interface ComingBack {
  readonly returning: WatchedReceiver
  /** Events that it did not accept. */
  readonly pending: number
  /** Its response time from now on, ms. */
  readonly answerMs: number
  readonly others: WatchedReceiver
  /** The streams published to the others. */
  readonly streams: readonly Stream[]
  readonly seconds: number
}

/**
 * Lets the receiver recover and measures how fast it catches up, and the latency of the others during and
 * after it. If the service already runs, it also measures before, since a process becomes faster while it
 * runs.
 * @param begin makes the service send the pending deliveries; returns where it runs
 * @param running the service, if it already runs
 */
export async function measureComingBack(
  stage: Stage,
  { returning, pending, answerMs, others, streams, seconds }: ComingBack,
  begin: () => Promise<PosthornProcess>,
  running?: PosthornProcess,
): Promise<Outcome> {
  // The same node each time, in windows of the same length.
  let published = 0
  const measure = async ({ url }: PosthornProcess) => {
    const { result, meanwhile } = await measureOthers(stage, url, streams, others, published, {
      // As long as the window, until the code is compiled.
      warmUpSeconds: seconds,
      during: async () => {
        await sleep(seconds * 1000)
        return (await acceptedOf(returning)) < pending
      },
    })
    published += result.published
    return { spread: spreadIn(result.received.latencies, others.group), caughtUp: !meanwhile }
  }
  const before = running === undefined ? [] : [await measure(running)]
  await comeBack(returning, answerMs)
  const service = await begin()
  const catchingUp = timeToAccept(returning, pending)
  // If the others fail first, that failure is reported.
  catchingUp.catch(() => undefined)
  const during = await measure(service)
  const catchUp = await catchingUp
  const alone = [...before, await measure(service)].map(({ spread }) => spread)
  for (const { receiver } of [others, returning]) await receiver.ask({ kind: 'finish' }, 'finished')
  const meanOf = (metric: 'p50Ms' | 'p99Ms') =>
    alone.reduce((sum, spread) => sum + spread[metric], 0) / alone.length
  return {
    metrics: {
      catchUpSeconds: catchUp.seconds,
      deliveriesPerSecond: pending / catchUp.seconds,
      mostInFlight: catchUp.mostInFlight,
      duringP50Ms: during.spread.p50Ms,
      duringP99Ms: during.spread.p99Ms,
      duringMaxMs: during.spread.maxMs,
      aloneP50Ms: meanOf('p50Ms'),
      aloneP99Ms: meanOf('p99Ms'),
      aloneMaxMs: Math.max(...alone.map(({ maxMs }) => maxMs)),
    },
    complaints: [
      ...[others, returning].flatMap((watched) =>
        watched.complaints().map((text) => `${watched.group}: ${text}`),
      ),
      ...(during.caughtUp
        ? ['the whole backlog was sent before the measurement ended: use more --pending or fewer --seconds']
        : []),
    ],
  }
}

async function measureOthers<T>(
  stage: Stage,
  url: string,
  streams: readonly Stream[],
  { receiver, acknowledgedFile }: WatchedReceiver,
  publishedBefore: number,
  stretch: Stretch<T>,
) {
  const publisher = await FixedRatePublisher.start(stage, url, streams, acknowledgedFile)
  return measureWhile(publisher, receiver, stretch, (acknowledged) => publishedBefore + acknowledged)
}

/** Publishes while the receiver answers 503, until it got each event `attempts` times. */
export async function publishInOutage(
  stage: Stage,
  service: PosthornProcess,
  hooks: readonly Hook[],
  { group, receiver, acknowledgedFile }: WatchedReceiver,
  events: number,
  attempts = 1,
): Promise<void> {
  await receiver.ask({ kind: 'behave', group, behavior: { kind: 'status', status: 503 } }, 'done')
  const publisher = FullSpeedPublisher.start(stage, [service], hooks, {
    idsFile: acknowledgedFile,
    maxOutstanding: events,
  })
  const until = (what: string, wanted: number, reached: () => Promise<number>) =>
    eventually(async () => ((await reached()) >= wanted ? true : null), {
      withinMs: OUTAGE_WITHIN_MS,
      everyMs: 100,
      what,
    })
  await until('publishes', events, async () => (await publisher.count()).acknowledged)
  await publisher.finish()
  const requests = async () => (await receiver.ask({ kind: 'report' }, 'report')).requests
  await until('attempts', events * attempts, requests)
}

/** Answers 204 again, and counts requests in flight from now on. */
async function comeBack({ group, receiver }: WatchedReceiver, delayMs: number): Promise<void> {
  await receiver.ask({ kind: 'behave', group, behavior: { kind: 'slow', delayMs } }, 'done')
  await receiver.ask({ kind: 'begin' }, 'done')
}

const acceptedOf = async ({ group, receiver }: WatchedReceiver) =>
  (await receiver.ask({ kind: 'report' }, 'report')).accepted[group] ?? 0

async function timeToAccept({ group, receiver }: WatchedReceiver, events: number) {
  const startedAt = performance.now()
  const { mostInFlight } = await acceptedBy(receiver, events, CATCH_UP_WITHIN_MS)
  return { seconds: (performance.now() - startedAt) / 1000, mostInFlight: mostInFlight[group] ?? Number.NaN }
}
