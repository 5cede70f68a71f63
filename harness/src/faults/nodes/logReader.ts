const LAPSE = /"node":(\d+),.*"msg":"the lease of this node expired;/
const STALL = /"late_ms":(\d+),"msg":"This process could not work/

/** What a process says of itself that explains what it did. */
export interface Said {
  /** The ids that it had with leases that ran out. */
  readonly lapses: readonly number[]
  /** How long it could not work, each time; in ms. */
  readonly stalls: readonly number[]
}

/** Finds in the log of one process what it says of leases that ran out and of times in which it could not work. */
export class LogReader {
  #rest = ''

  /** @param text what it wrote since the last time */
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
