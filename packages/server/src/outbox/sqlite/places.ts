/** Parts of the workspaces: where one has much to publish, the others are read before it. */
const SHARDS = 16

/** Rows behind one place, up to another, of some shards. */
interface Stretch {
  readonly shards: readonly number[]
  /** The id before the first row. */
  readonly after: number
  /** The id of the last row; `null`: the end of the outbox. */
  readonly to: number | null
}

/** How far each shard has come, as an id in the outbox. */
export class Places {
  readonly #places = new Array<number>(SHARDS).fill(0)
  /** When each shard had its last turn, counted in turns. */
  readonly #turns = new Array<number>(SHARDS).fill(0)
  #turn = 0

  get first(): number {
    return Math.min(...this.#places)
  }

  /**
   * What to read next: of shards that have come equally far, those whose last turn was longest ago. They stop where others
   * are, so that all are read together from there on.
   * @returns `null`: no shard is left
   */
  next(except: ReadonlySet<number>): Stretch | null {
    const first = this.#candidates(except).sort((one, other) => this.#turns[one]! - this.#turns[other]!)[0]
    if (first === undefined) return null
    const after = this.#places[first]!
    const ahead = this.#places.filter((place) => place > after)
    return {
      shards: this.#candidates(except).filter((shard) => this.#places[shard] === after),
      after,
      to: ahead.length === 0 ? null : Math.min(...ahead),
    }
  }

  /** Whether shards are behind others. */
  areApart(except: ReadonlySet<number>): boolean {
    const furthest = Math.max(...this.#places)
    return this.#candidates(except).some((shard) => this.#places[shard]! < furthest)
  }

  move(shards: readonly number[], place: number): void {
    this.#turn += 1
    for (const shard of shards) {
      this.#places[shard] = place
      this.#turns[shard] = this.#turn
    }
  }

  #candidates(except: ReadonlySet<number>): number[] {
    return [...this.#places.keys()].filter((shard) => !except.has(shard))
  }
}

export function shardOf(workspace: string): number {
  let hash = 0
  for (let i = 0; i < workspace.length; i++) hash = (31 * hash + workspace.charCodeAt(i)) >>> 0
  return hash % SHARDS
}
