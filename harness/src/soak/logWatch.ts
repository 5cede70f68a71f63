/** From here on, a line of the log is an error. */
const ERROR_LEVEL = 50

/** The one failure that a collector which is away may cause. */
const COLLECTOR_AWAY = /"msg":"sending of (traces|metrics) to the collector failed; retrying"/

/** Reads all that a service writes, and keeps what should not be there. */
export class LogWatch {
  /** Errors, and whatever is no line of the log: traces of crashes, warnings of Node. */
  readonly complaints: string[] = []
  /** Lines which say that the collector is away. */
  collectorErrors = 0
  lines = 0
  /** Whether errors about the collector are to be expected. */
  collectorMayBeAway = false
  #rest = ''

  /** @param text what it wrote since the last time */
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

/** @returns the level that stands for a failure when it is no line of the log */
function levelOf(line: string): number {
  try {
    const { level } = JSON.parse(line) as { readonly level?: unknown }
    return typeof level === 'number' ? level : ERROR_LEVEL
  } catch {
    return ERROR_LEVEL
  }
}
