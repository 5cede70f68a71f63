/** Log lines from this level on are errors. */
const ERROR_LEVEL = 50

/** The only failure that an unavailable collector may cause. */
const COLLECTOR_AWAY = /"msg":"sending of (traces|metrics) to the collector failed; retrying"/

/** Reads the service's output, and keeps unexpected lines. */
export class LogWatch {
  /** Errors, and output that is not a log line: stack traces, warnings of Node. */
  readonly complaints: string[] = []
  /** Lines about an unavailable collector. */
  collectorErrors = 0
  lines = 0
  /** Whether errors about the collector are expected. */
  collectorMayBeAway = false
  #rest = ''

  /** @param text output since the previous call */
  read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) this.#look(line)
  }

  #look(line: string): void {
    this.lines += 1
    if (levelOf(line) < ERROR_LEVEL) return
    if (COLLECTOR_AWAY.test(line)) {
      this.collectorErrors += 1
      if (this.collectorMayBeAway) return
    }
    this.complaints.push(line.slice(0, 1_000))
  }
}

/** @returns the level of a failure when it is not a log line */
function levelOf(line: string): number {
  try {
    const { level } = JSON.parse(line) as { readonly level?: unknown }
    return typeof level === 'number' ? level : ERROR_LEVEL
  } catch {
    return ERROR_LEVEL
  }
}
