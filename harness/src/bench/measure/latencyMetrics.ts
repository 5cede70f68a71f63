import { decimals } from '../frame/metrics.ts'
import type { Metric } from '../frame/scenario.ts'
import type { FixedRateResult } from './fixedRate.ts'
import { type Spread, spreadIn } from './latencies.ts'

interface Reading {
  readonly metric: Metric
  readonly of: (result: FixedRateResult, group: string) => number
}

const of = (
  heading: string,
  digits: number,
  spreads: (result: FixedRateResult) => Readonly<Record<string, Spread>>,
  member: keyof Spread,
): Reading => ({
  metric: decimals(heading, digits),
  of: (result, group) => spreadIn(spreads(result), group)[member],
})

const acknowledged = (result: FixedRateResult) => result.acknowledged
const received = ({ received: { latencies } }: FixedRateResult) => latencies
const lateness = (result: FixedRateResult) => result.lateness

/** From when a publish was due: to its answer, to the receiver, and to its start. */
const READINGS = {
  acknowledgedP50Ms: of('acknowledged p50 ms', 2, acknowledged, 'p50Ms'),
  acknowledgedP99Ms: of('acknowledged p99 ms', 2, acknowledged, 'p99Ms'),
  acknowledgedMaxMs: of('acknowledged max ms', 1, acknowledged, 'maxMs'),
  receivedP50Ms: of('received p50 ms', 2, received, 'p50Ms'),
  receivedP90Ms: of('received p90 ms', 2, received, 'p90Ms'),
  receivedP99Ms: of('received p99 ms', 2, received, 'p99Ms'),
  receivedMaxMs: of('received max ms', 1, received, 'maxMs'),
  latenessP50Ms: of('publisher late p50 ms', 2, lateness, 'p50Ms'),
  latenessP99Ms: of('publisher late p99 ms', 2, lateness, 'p99Ms'),
} as const satisfies Readonly<Record<string, Reading>>

type LatencyName = keyof typeof READINGS

/** @param names of latencies, in report order */
export function latencyMetrics<Name extends LatencyName>(...names: readonly Name[]) {
  const fromNames = <T>(value: (name: Name) => T) =>
    Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, T>
  return {
    metrics: fromNames((name): Metric => READINGS[name].metric),
    /** Of the webhooks of one group. */
    of: (result: FixedRateResult, group: string) => fromNames((name) => READINGS[name].of(result, group)),
  }
}
