const LAPSE = /"node":(\d+),.*"msg":"the lease of this node expired;/
const STALL = /"late_ms":(\d+),"msg":"This process could not work/

/** Log lines of a process that explain its behavior. */
export interface Said {
  /** The ids that it had with expired leases. */
  readonly lapses: readonly number[]
  /** Durations in which it could not work, in ms. */
  readonly stalls: readonly number[]
}

/** Finds expired leases and stalls in the log of one process. */
export class LogReader {
  #rest = ''

  /** @param text output since the previous call */
  read(text: string): Said {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    return { lapses: numbersIn(lines, LAPSE), stalls: numbersIn(lines, STALL) }
  }
}

const numbersIn = (lines: readonly string[], pattern: RegExp) =>
  lines.flatMap((line) => {
    const match = pattern.exec(line)
    return match === null ? [] : [Number(match[1])]
  })
