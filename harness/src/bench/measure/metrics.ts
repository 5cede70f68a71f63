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
  const read = await metricsOf(url)
  const loopDelayMs = (name: string) =>
    Math.max(0, read(`nodejs_eventloop_lag_${name}_seconds`) * 1000 - TIMER_MS)
  return {
    loopDelayP99Ms: loopDelayMs('p99'),
    loopDelayMaxMs: loopDelayMs('max'),
    statements: read('posthorn_store_statements_total'),
    commits: read('posthorn_store_commits_total'),
  }
}

/** What the index of the search got since the start, and how long that took. */
export async function readIndexing(
  url: string,
): Promise<{ readonly indexed: number; readonly seconds: number }> {
  const read = await metricsOf(url)
  return {
    indexed: read('posthorn_search_indexed_total'),
    seconds: read('posthorn_search_indexing_seconds_total'),
  }
}

async function metricsOf(url: string): Promise<(name: string) => number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
}
