/** What an operator may set of a dialect. Durations in milliseconds. */
export interface DialectSettings {
  /** Waits before the retries; one more attempt than waits is made. */
  readonly waitsMs: readonly number[]
  /** The receiver's time. */
  readonly timeoutMs: number
}

/** Share by which each wait is stretched or shrunk at random. */
export const JITTER = 0.1
