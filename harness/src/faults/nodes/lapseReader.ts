const LAPSE = /"node":(\d+),.*"msg":"the lease of this node ran out;/

/** Finds in the log of one process what it says of its own leases that ran out. */
export class LapseReader {
  #rest = ''

  /** @param text what it wrote since the last time @returns the ids that it had with those leases */
  read(text: string): number[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    return lines.flatMap((line) => {
      const match = LAPSE.exec(line)
      return match === null ? [] : [Number(match[1])]
    })
  }
}
