/** The service's own metrics. */
export interface ServiceMetrics {
  /** Timer delay since the previous read. */
  readonly loopDelayP99Ms: number
  /** The maximum: one slow turn among hundreds a second hardly changes a percentile. */
  readonly loopDelayMaxMs: number
  /** Sent to the database since the start; NaN for a store without statements. */
  readonly statements: number
  /** Write transactions since the start; NaN if the store does not count them. */
  readonly commits: number
}

/**
 * Resolution of the timer that measures the event loop delay. Node records the time between two turns of it.
 */
const TIMER_MS = 10

/** Each read also starts a new period of the event loop delay. */
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

/** Documents added to the search index since the start, and the time that took. */
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
