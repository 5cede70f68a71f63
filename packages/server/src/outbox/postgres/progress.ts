/** How far rows of the outbox were published. Snapshots are in the text form of PostgreSQL's `pg_snapshot`. */
export interface Cursor {
  /** All rows of transactions that this snapshot sees were published. */
  readonly done: string
  /** The last id that was taken before that snapshot: rows of later transactions have higher ones. */
  readonly doneId: string
  /** The rows between `done` and this snapshot are being published, in the order of their ids; `null`: none are. */
  readonly target: string | null
  readonly targetId: string | null
  /** The last id of these that was published. */
  readonly lastId: string
}

/** Shards that have come equally far. */
interface Group {
  readonly shards: readonly number[]
  readonly cursor: Cursor
}

/** What one read found. */
export interface ReadResult {
  readonly shards: readonly number[]
  readonly target: string
  readonly targetId: string
  /** Of the last row; `null`: there was none. */
  readonly lastId: string | null
  /** Whether more rows lie before the target. */
  readonly more: boolean
}

/** How far a relay has come with each of its shards. Shards that have come equally far are read together. */
export class Progress {
  #groups: Group[] = []

  get shards(): number[] {
    return this.#groups.flatMap(({ shards }) => shards)
  }

  take(shard: number, cursor: Cursor): void {
    this.#groups.push({ shards: [shard], cursor })
    this.#merge()
  }

  drop(dropped: ReadonlySet<number>): void {
    this.#groups = this.#groups
      .map(({ shards, cursor }) => ({ shards: shards.filter((shard) => !dropped.has(shard)), cursor }))
      .filter(({ shards }) => shards.length > 0)
  }

  /** The cursor of each shard. */
  *cursors(): Iterable<readonly [shard: number, cursor: Cursor]> {
    for (const { shards, cursor } of this.#groups) for (const shard of shards) yield [shard, cursor]
  }

  /** What to read next; `null`: there are no shards. */
  next(): Group | null {
    return this.#groups.find(({ cursor }) => cursor.target !== null) ?? this.#groups[0] ?? null
  }

  /**
   * Whether groups should agree on a target before the next read: those that reach one target become one group, and are
   * read together from then on.
   */
  get shouldAlign(): boolean {
    return this.#groups.length > 1 && this.#groups.every(({ cursor }) => cursor.target === null)
  }

  align(target: string, targetId: string): void {
    this.#groups = this.#groups.map(({ shards, cursor }) => ({
      shards,
      cursor: { ...cursor, target, targetId, lastId: '0' },
    }))
  }

  /** Everything that a read found was published or held. */
  passed({ shards, target, targetId, lastId, more }: ReadResult): void {
    const read = new Set(shards)
    this.#groups = this.#groups.flatMap((group) => {
      const passed = group.shards.filter((shard) => read.has(shard))
      if (passed.length === 0) return [group]
      const rest = group.shards.filter((shard) => !read.has(shard))
      const { done, doneId } = group.cursor
      const cursor = more
        ? { done, doneId, target, targetId, lastId: lastId! }
        : { done: target, doneId: targetId, target: null, targetId: null, lastId: '0' }
      return [{ shards: passed, cursor }, ...(rest.length === 0 ? [] : [{ ...group, shards: rest }])]
    })
    this.#merge()
  }

  #merge(): void {
    const merged = new Map<string, Group>()
    for (const { shards, cursor } of this.#groups) {
      const { done, doneId, target, targetId, lastId } = cursor
      const key = JSON.stringify([done, doneId, target, targetId, lastId])
      merged.set(key, { shards: [...(merged.get(key)?.shards ?? []), ...shards], cursor })
    }
    this.#groups = [...merged.values()]
  }
}
