/** Counts of arrivals in a {@link Grid}. */
export interface GridCounts {
  readonly arrivals: number
  /** Cells with at least one arrival. */
  readonly distinct: number
  /** Arrivals in a cell that already had one. */
  readonly repeated: number
  /** Repeated arrivals in a cell that had one since the last {@link Grid.forgive}. */
  readonly unforgiven: number
  /** Outside the grid, or without a row. */
  readonly unknown: number
}

/**
 * Records which events arrived at which endpoints with two bits per pair, so that millions need little
 * memory.
 */
export class Grid {
  readonly #columns: number
  readonly #cells: number
  readonly #seen: Uint8Array
  readonly #sinceForgiven: Uint8Array
  readonly #perRow: Uint32Array
  #arrivals = 0
  #distinct = 0
  #unforgiven = 0
  #unknown = 0

  constructor(rows: number, columns: number) {
    this.#columns = columns
    this.#cells = rows * columns
    const bytes = Math.ceil(this.#cells / 8)
    this.#seen = new Uint8Array(bytes)
    this.#sinceForgiven = new Uint8Array(bytes)
    this.#perRow = new Uint32Array(rows)
  }

  get distinct(): number {
    return this.#distinct
  }

  /** @param row counted from 0, as columns are; rows and columns that do not exist count as unknown */
  arrive(row: number, column: number): void {
    this.#arrivals += 1
    const cell = row * this.#columns + column
    const exists = row >= 0 && column >= 0 && column < this.#columns && cell < this.#cells
    if (!exists) {
      this.#unknown += 1
      return
    }
    if (setBit(this.#seen, cell)) {
      this.#distinct += 1
      this.#perRow[row]! += 1
    }
    if (!setBit(this.#sinceForgiven, cell)) this.#unforgiven += 1
  }

  /**
   * From now on each cell may have one more arrival, since a process was killed before it recorded its
   * requests.
   */
  forgive(): void {
    this.#sinceForgiven.fill(0)
  }

  counts(): GridCounts {
    const known = this.#arrivals - this.#unknown
    return {
      arrivals: this.#arrivals,
      distinct: this.#distinct,
      repeated: known - this.#distinct,
      unforgiven: this.#unforgiven,
      unknown: this.#unknown,
    }
  }

  /** Distinct arrivals of each row. */
  rows(): Uint32Array {
    return this.#perRow.slice()
  }
}

/** @returns whether it was not set before */
function setBit(bits: Uint8Array, position: number): boolean {
  const at = position >> 3
  const bit = 1 << (position & 7)
  const before = bits[at]!
  bits[at] = before | bit
  return (before & bit) === 0
}

/**
 * Problems in the rows of a grid: each accepted row must be full and each other row empty.
 * @param isAccepted of a row
 */
export function gridComplaints(
  rows: Uint32Array,
  columns: number,
  isAccepted: (row: number) => boolean,
): string[] {
  let missing = 0
  let unaccepted = 0
  for (const [row, arrived] of rows.entries()) {
    if (isAccepted(row)) missing += columns - arrived
    else unaccepted += arrived
  }
  return [
    ...(missing === 0 ? [] : [`${missing} deliveries of accepted events never arrived`]),
    ...(unaccepted === 0 ? [] : [`${unaccepted} deliveries arrived of events that were not accepted`]),
  ]
}

export function countComplaints({ unforgiven, unknown }: GridCounts): string[] {
  return [
    ...(unforgiven === 0 ? [] : [`${unforgiven} deliveries arrived again without a reason`]),
    ...(unknown === 0 ? [] : [`${unknown} requests contained no published event`]),
  ]
}
