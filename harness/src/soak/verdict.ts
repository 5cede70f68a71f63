import { table } from '../bench/frame/table.ts'
import { DELETES_AT, HANGING, HANGING_ATTEMPTS, SAMPLED } from './cast.ts'
import { megabytes, type Sample } from './serviceWatch.ts'
import type { HookResult, SoakResult } from './soak.ts'
import { floorsOf, medianOf, trendOf } from './trend.ts'

const MB = 1e6
/** From this length on, most of the first third is a warm process. */
const LONG_S = 30 * 60

/**
 * Allowed growth of the heap from the first to the last third, and of the highest RSS from the middle to the last third: 24 MB are
 * 100 and 200 bytes of each event between them. RSS follows the peaks of the heap for half an hour, since V8 returns pages late.
 */
const GROWTH = { heapBytes: 24 * MB, rssBytes: 24 * MB } as const
/** In a short run the process is still warming up: code is compiled and the heap grows to its size. */
const GROWTH_WHILE_WARMING = { heapBytes: 48 * MB, rssBytes: 150 * MB } as const
/** Five minutes of samples: at this load, the heap is collected every three or four. The lowest of each group follows a collection. */
const FLOOR_SAMPLES = 60
/** Sockets, timers and other resources that may come and go with the service's background work. */
const SPARE = 3
/** Fragmentation of the file, and the time until it deletes. */
const STORE_GROWTH = 1.1
/**
 * A machine that falls behind repeats an attempt that it was late for, and one that times out while it connects does not arrive: a
 * share of the attempts.
 */
const HANGING_TOLERANCE = 0.01

/** Spans of a trace in addition to its attempts: the request, and storing. */
const SPANS_OF_PUBLISH = 2
/** Standard deviations by which the number of traces may differ: more occur once in two million runs. */
const DEVIATIONS = 5

const OUTCOMES = ['sent', 'failed', 'dropped', 'limited'] as const

/** Problems of a run; empty when there are none. */
export function soakComplaints(result: SoakResult, seconds: number): string[] {
  const { failures, log, visits } = result
  return [
    ...result.hooks.flatMap(hookComplaints),
    ...failures.slice(0, 10),
    ...(failures.length > 10 ? [`${failures.length} publishes, visits and scrapes failed`] : []),
    ...log.complaints.map((line) => `the service wrote: ${line}`),
    ...(log.collectorErrors === 0 ? ['the log says nothing of the collector that was away'] : []),
    ...Object.entries(visits).flatMap(([kind, count]) => (count === 0 ? [`no ${kind}`] : [])),
    ...memoryComplaints(result.samples, seconds),
    ...resourceComplaints(result),
    ...spanComplaints(result),
  ]
}

function hookComplaints(hook: HookResult): string[] {
  const { name, acknowledged, accepted, attempts, forged, forgery } = hook
  const isHanging = name === HANGING.name
  const missing = isHanging ? [] : acknowledged.filter((number) => !accepted[number])
  const untried = isHanging ? acknowledged.filter((number) => attempts[number] === 0) : []
  const tried = isHanging ? acknowledged.reduce((sum, number) => sum + attempts[number]!, 0) : 0
  const meant = isHanging ? acknowledged.length * HANGING_ATTEMPTS : 0
  return [
    ...(acknowledged.length === 0 ? [`${name}: nothing was published`] : []),
    ...(missing.length > 0 ? [`${name}: ${missing.length} acknowledged events were not delivered`] : []),
    ...(untried.length > 0 ? [`${name}: ${untried.length} acknowledged events were never attempted`] : []),
    ...(Math.abs(tried - meant) > meant * HANGING_TOLERANCE
      ? [`${name}: ${tried} attempts arrived, ${meant} were meant`]
      : []),
    ...(forged > 0 ? [`${name}: ${forged} requests were not signed right: ${forgery}`] : []),
  ]
}

function memoryComplaints(samples: readonly Sample[], seconds: number): string[] {
  const most = seconds < LONG_S ? GROWTH_WHILE_WARMING : GROWTH
  const rss = rssPeaks(samples).growth
  const heap = heapFloors(samples).growth
  const untilDeleted = samples.slice(0, Math.ceil(samples.length * (DELETES_AT + 0.1)))
  const largest = Math.max(...untilDeleted.map(({ storeBytes }) => storeBytes))
  const last = samples.at(-1)!.storeBytes
  return [
    ...(rss > most.rssBytes
      ? [`the highest RSS grew by ${megabytes(rss)} MB from the middle to the last third`]
      : []),
    ...(heap > most.heapBytes
      ? [`the heap grew by ${megabytes(heap)} MB from the first to the last third`]
      : []),
    ...(last > largest * STORE_GROWTH
      ? [`the store grew from ${megabytes(largest)} to ${megabytes(last)} MB after expired rows were deleted`]
      : []),
  ]
}

function rssPeaks(samples: readonly Sample[]) {
  const third = Math.floor(samples.length / 3)
  const peakOf = (part: readonly Sample[]) => Math.max(...part.map(({ rssBytes }) => rssBytes))
  const [middle, last] = [peakOf(samples.slice(-2 * third, -third)), peakOf(samples.slice(-third))]
  return { middle, last, growth: last - middle }
}

/** In a short run there are fewer samples than a floor needs for each third. */
function heapFloors(samples: readonly Sample[]) {
  const size = Math.max(1, Math.min(FLOOR_SAMPLES, Math.floor(samples.length / 3)))
  return trendOf(
    floorsOf(
      samples.map(({ heapBytes }) => heapBytes),
      size,
    ),
  )
}

/**
 * Files that are not sockets: under load the store is opened more often, so the baseline is the first third.
 */
const filesOf = ({ fileDescriptors, sockets }: Sample) => fileDescriptors - sockets

function resourceComplaints({ samples, atStart, atEnd }: SoakResult): string[] {
  const firstThird = samples.slice(0, Math.ceil(samples.length / 3))
  const most = {
    files: Math.max(...firstThird.map(filesOf)),
    sockets: atStart.sockets + SPARE,
    timers: atStart.timers + SPARE,
    'active resources': atStart.activeResources + SPARE,
  }
  const left = {
    files: filesOf(atEnd),
    sockets: atEnd.sockets,
    timers: atEnd.timers,
    'active resources': atEnd.activeResources,
  }
  return (Object.keys(most) as (keyof typeof most)[]).flatMap((kind) =>
    left[kind] > most[kind] ? [`${left[kind]} ${kind} were left at the end, more than ${most[kind]}`] : [],
  )
}

const spansBy = ({ metrics }: SoakResult) =>
  Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, metrics.sum('posthorn_trace_spans_total', `outcome="${outcome}"`)]),
  ) as Readonly<Record<(typeof OUTCOMES)[number], number>>

/** The expected number of spans, and the allowed difference. */
function expectedSpans({ metrics, publishes }: SoakResult) {
  const attempts = metrics.sum('posthorn_attempts_total')
  const perTrace = SPANS_OF_PUBLISH + attempts / publishes
  const traces = publishes * SAMPLED
  return { spans: traces * perTrace, tolerance: DEVIATIONS * Math.sqrt(traces) * perTrace }
}

function spanComplaints(result: SoakResult): string[] {
  const { sent, failed, dropped, limited } = spansBy(result)
  const { spans: received, exports } = result.collector
  const recorded = sent + failed + dropped + limited
  const { spans: expected, tolerance } = expectedSpans(result)
  return [
    // A request whose answer was lost counts as failed, and may have arrived.
    ...(received < sent || received > sent + failed
      ? [`the collector got ${received} spans, of ${sent} sent and ${failed} failed`]
      : []),
    ...(failed + dropped === 0 ? ['no span was counted as lost while the collector was away'] : []),
    ...(Math.abs(recorded - expected) > tolerance
      ? [`${recorded} spans were recorded, not ${expected.toFixed(0)} ± ${tolerance.toFixed(0)}`]
      : []),
    ...(exports.metrics === 0 ? ['the collector got no metrics'] : []),
  ]
}

/** Readable results of the run. */
export function soakTable(result: SoakResult): string {
  const { samples, atStart, atEnd, hooks, visits, collector } = result
  const row = (name: string, of: (sample: Sample) => number, show: (value: number) => string) => {
    const values = samples.map(of)
    const { first, last } = trendOf(values)
    return [name, of(atStart), first, last, Math.max(...values), of(atEnd)].map((cell) =>
      typeof cell === 'string' ? cell : show(cell),
    )
  }
  const whole = (value: number) => value.toFixed(0)
  const floors = heapFloors(samples)
  const peaks = rssPeaks(samples)
  const lateness = samples.slice(1).map(({ loopMaxMs }) => loopMaxMs)
  const { spans, tolerance } = expectedSpans(result)
  const delivered = hooks.map(({ name, acknowledged, requests, accepted, repeated }) => {
    const received = acknowledged.filter((number) => accepted[number]).length
    return [name, acknowledged.length, requests, received, repeated].map(String)
  })
  return [
    table([
      ['', 'before', 'first third', 'last third', 'most', 'after'],
      row('RSS MB', ({ rssBytes }) => rssBytes, megabytes),
      row('heap MB', ({ heapBytes }) => heapBytes, megabytes),
      ['heap MB, lowest of 5 minutes', '', megabytes(floors.first), megabytes(floors.last), '', ''],
      row('store MB', ({ storeBytes }) => storeBytes, megabytes),
      row('files', filesOf, whole),
      row('sockets', ({ sockets }) => sockets, whole),
      row('timers', ({ timers }) => timers, whole),
      row('active resources', ({ activeResources }) => activeResources, whole),
      row('pending deliveries', ({ pending }) => pending, whole),
      row('event loop late at most, ms', ({ loopMaxMs }) => loopMaxMs, whole),
    ]),
    table([['webhook', 'acknowledged', 'requests', 'delivered', 'delivered again'], ...delivered]),
    `highest RSS: middle third ${megabytes(peaks.middle)} MB, last third ${megabytes(peaks.last)} MB`,
    `event loop late at most in 5 s: median ${whole(medianOf(lateness))} ms, worst ${whole(Math.max(...lateness))} ms`,
    `visits: ${listed(visits)}`,
    `spans: ${listed(spansBy(result))}; received: ${collector.spans}; expected: ${whole(spans)} ± ${whole(tolerance)}`,
    `publishes: ${result.publishes}, left out since too many waited: ${result.leftOut}; exports of metrics: ${collector.exports.metrics}`,
    '',
  ].join('\n')
}

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
