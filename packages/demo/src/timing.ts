/** How fast a run goes. Times in ms. */
export interface Timing {
  /** Between two events of the story. */
  readonly beatMs: number
  /** Settings of the service, as texts; each service makes one more attempt than there are waits. */
  readonly retry: string
  readonly timeout: string
  /** Anything unfinished this long after the start is not waited for. */
  readonly endWithinMs: number
}

/** Slow enough to read along. */
export const READING: Timing = {
  beatMs: 1_300,
  retry: '1s,2s,2s,2s,3s,3s,3s',
  timeout: '2s',
  endWithinMs: 180_000,
}

/** For builds: as fast as possible without mistaking a busy machine for a receiver that hangs. */
export const ONCE: Timing = {
  beatMs: 250,
  retry: '200ms,300ms,400ms,400ms,400ms,400ms,400ms',
  timeout: '800ms',
  endWithinMs: 45_000,
}
