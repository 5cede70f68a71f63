import type { Batch, OutboxRow } from './source.ts'

/** A batch that was read, with the number of rows that were neither published nor held yet. */
interface OpenBatch {
  readonly batch: Batch
  left: number
}

/** The rows of one workspace, which are published one after the other. */
interface Lane {
  readonly workspace: string
  readonly rows: { readonly row: OutboxRow; readonly from: OpenBatch }[]
  isBusy: boolean
}

/** More than a relay publishes at once, so that the next rows are there when a publish ends. */
const MOST_ROWS = 6_000
const MOST_BATCHES = 100
/** Characters of JSON. One more batch may be read beyond these. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/**
 * The rows that a relay has read and not finished: a lane for each workspace, so that workspaces do not wait for each other, and
 * the batches in the order in which they were read, since progress is stored in that order.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  #open: OpenBatch[] = []
  #rows = 0
  #characters = 0

  get isFull(): boolean {
    return this.#rows >= MOST_ROWS || this.#open.length >= MOST_BATCHES || this.#characters >= MOST_CHARACTERS
  }

  get isEmpty(): boolean {
    return this.#open.length === 0
  }

  add(batch: Batch): void {
    const from = { batch, left: batch.rows.length }
    this.#open.push(from)
    this.#rows += batch.rows.length
    for (const row of batch.rows) {
      this.#characters += sizeOf(row)
      this.#laneOf(row.workspace).rows.push({ row, from })
    }
  }

  /** Workspaces that have rows, and of which none are being published. */
  idle(): string[] {
    return [...this.#lanes.values()]
      .filter(({ rows, isBusy }) => rows.length > 0 && !isBusy)
      .map(({ workspace }) => workspace)
  }

  /** The first rows of a workspace. The lane is busy until they are finished or put back. */
  take(workspace: string, most: number): readonly OutboxRow[] {
    const lane = this.#laneOf(workspace)
    lane.isBusy = true
    return lane.rows.slice(0, most).map(({ row }) => row)
  }

  /** @returns batches of which all rows are finished, and all of those before them */
  finish(workspace: string, count: number): Batch[] {
    const lane = this.#laneOf(workspace)
    for (const { row, from } of lane.rows.splice(0, count)) {
      this.#characters -= sizeOf(row)
      from.left -= 1
    }
    this.#rows -= count
    this.putBack(workspace)
    return this.#finished()
  }

  putBack(workspace: string): void {
    const lane = this.#laneOf(workspace)
    lane.isBusy = false
    if (lane.rows.length === 0) this.#lanes.delete(workspace)
  }

  #finished(): Batch[] {
    const open = this.#open.findIndex(({ left }) => left > 0)
    const count = open === -1 ? this.#open.length : open
    return this.#open.splice(0, count).map(({ batch }) => batch)
  }

  #laneOf(workspace: string): Lane {
    let lane = this.#lanes.get(workspace)
    if (lane === undefined) {
      lane = { workspace, rows: [], isBusy: false }
      this.#lanes.set(workspace, lane)
    }
    return lane
  }
}

const sizeOf = ({ event }: OutboxRow): number => event?.length ?? 0
