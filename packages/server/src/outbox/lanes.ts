import type { Batch, OutboxRow } from './source.ts'

/** A batch of read rows, with the number of rows that are neither published nor held yet. */
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

/** More than a relay publishes at once, so that the next rows are in memory when a publish ends. */
const MOST_ROWS = 6_000
const MOST_BATCHES = 100
/** Characters of JSON in memory; one more batch may be read beyond this. */
const MOST_CHARACTERS = 16 * 1024 * 1024
/** A shard with more rows than this in memory is not read until some were published, so that others are. */
const SHARE = 1 / 6

/**
 * The rows that a relay has read and not finished: a lane for each workspace, so that workspaces do not wait for each other, and
 * the batches in the order in which they were read, since progress is stored in that order.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  #open: OpenBatch[] = []
  readonly #size = new Size()
  readonly #sizes = new Map<number, Size>()

  get isFull(): boolean {
    return this.#open.length >= MOST_BATCHES || this.#size.isAtLeast(1)
  }

  /** Shards with more than their share. */
  get fullShards(): ReadonlySet<number> {
    return new Set([...this.#sizes].flatMap(([shard, size]) => (size.isAtLeast(SHARE) ? [shard] : [])))
  }

  /** @returns the batch, if it is empty and nothing before it is left */
  add(batch: Batch): Batch[] {
    const from = { batch, left: batch.rows.length }
    this.#open.push(from)
    for (const row of batch.rows) {
      this.#count(row, 1)
      this.#laneOf(row.workspace).rows.push({ row, from })
    }
    const finished = this.#finished()
    // Empty batches are not kept: the next batch of their shards has the same effect.
    if (batch.rows.length === 0) this.#open = this.#open.filter((open) => open !== from)
    return finished
  }

  /** Workspaces with rows of which none is being published. */
  idle(): string[] {
    return [...this.#lanes.values()]
      .filter(({ rows, isBusy }) => rows.length > 0 && !isBusy)
      .map(({ workspace }) => workspace)
  }

  /** The first rows of a workspace. Its lane is busy until they are finished or returned. */
  take(workspace: string, most: number): readonly OutboxRow[] {
    const lane = this.#laneOf(workspace)
    lane.isBusy = true
    return lane.rows.slice(0, most).map(({ row }) => row)
  }

  /** @returns batches of which all rows are finished, as are all earlier ones of the same shards */
  finish(workspace: string, count: number): Batch[] {
    const lane = this.#laneOf(workspace)
    for (const { row, from } of lane.rows.splice(0, count)) {
      this.#count(row, -1)
      from.left -= 1
    }
    this.putBack(workspace)
    return this.#finished()
  }

  putBack(workspace: string): void {
    const lane = this.#laneOf(workspace)
    lane.isBusy = false
    if (lane.rows.length === 0) this.#lanes.delete(workspace)
  }

  #finished(): Batch[] {
    const finished: Batch[] = []
    const unfinished = new Set<number>()
    this.#open = this.#open.filter(({ batch, left }) => {
      const isFinished = left === 0 && !batch.shards.some((shard) => unfinished.has(shard))
      if (isFinished) finished.push(batch)
      else for (const shard of batch.shards) unfinished.add(shard)
      return !isFinished
    })
    return finished
  }

  #count(row: OutboxRow, sign: 1 | -1): void {
    let ofShard = this.#sizes.get(row.shard)
    if (ofShard === undefined) {
      ofShard = new Size()
      this.#sizes.set(row.shard, ofShard)
    }
    for (const size of [this.#size, ofShard]) size.count(row, sign)
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

/** How much of the memory rows take. */
class Size {
  #rows = 0
  #characters = 0

  count({ event }: OutboxRow, sign: 1 | -1): void {
    this.#rows += sign
    this.#characters += sign * (event?.length ?? 0)
  }

  isAtLeast(share: number): boolean {
    return this.#rows >= share * MOST_ROWS || this.#characters >= share * MOST_CHARACTERS
  }
}
