/** What the service says of itself. */
export interface ServiceMetrics {
  /** By how much a timer came late, since it was read before. */
  readonly loopDelayP99Ms: number
  /** The same at worst: of hundreds of turns a second, one that takes long hardly moves a percentile. */
  readonly loopDelayMaxMs: number
  /** Sent to the database, since the start; NaN for a store that is not asked by statements. */
  readonly statements: number
  /** Writing transactions since the start; NaN where the store does not count. */
  readonly commits: number
}

/** Of the timer that the loop's delay is measured with. What Node records is the time from one turn of it to the next. */
const TIMER_MS = 10

/** Reading them also begins a new period of the loop's delay. */
export async function readMetrics(url: string): Promise<ServiceMetrics> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  const loopDelayMs = (name: string) =>
    Math.max(0, read(`nodejs_eventloop_lag_${name}_seconds`) * 1000 - TIMER_MS)
  return {
    loopDelayP99Ms: loopDelayMs('p99'),
    loopDelayMaxMs: loopDelayMs('max'),
    statements: read('posthorn_store_statements_total'),
    commits: read('posthorn_store_commits_total'),
  }
}
