/** What the service says of itself. */
export interface ServiceMetrics {
  /** Since it was read before; the timer's 10 ms are in it. */
  readonly loopDelayP99Ms: number
  /** Sent to the database, since the start; NaN for a store that is not asked by statements. */
  readonly statements: number
  /** Writing transactions since the start; NaN where the store does not count. */
  readonly commits: number
}

/** Reading them also begins a new period of the loop's delay. */
export async function readMetrics(url: string): Promise<ServiceMetrics> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  return {
    loopDelayP99Ms: read('nodejs_eventloop_lag_p99_seconds') * 1000,
    statements: read('posthorn_store_statements_total'),
    commits: read('posthorn_store_commits_total'),
  }
}
