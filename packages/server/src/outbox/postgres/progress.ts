/**
 * A moment in the history of the outbox. A row is older if the snapshot sees its transaction. Every other row belongs to a
 * transaction that was running then, or has a higher id than `id`. Running transactions are in the snapshot's list, or lie
 * between the end of the snapshot and `xid`: PostgreSQL ends a snapshot after the last transaction that has ended.
 */
export interface Moment {
  /** In the text form of PostgreSQL's `pg_snapshot`. */
  readonly snapshot: string
  /** The last id that was assigned before. */
  readonly id: string
  /** The first unassigned transaction id, read after `id`. */
  readonly xid: string
}

/** How far rows of the outbox were published. */
export interface Cursor {
  /** All older rows were published. */
  readonly done: Moment
  /** The rows between `done` and this moment are being published, in the order of their ids; `null`: none are. */
  readonly target: Moment | null
  /** The last id of these that was published. */
  readonly lastId: string
}

/** Shards with the same progress. */
interface Group {
  readonly shards: readonly number[]
  readonly cursor: Cursor
}

/** The result of one read. */
export interface ReadResult {
  readonly shards: readonly number[]
  readonly target: Moment
  /** Of the last row; `null`: there was none. */
  readonly lastId: string | null
  /** Whether more rows lie before the target. */
  readonly more: boolean
}

/** The progress of a relay in each of its shards. Shards with the same progress are read together. */
export class Progress {
  #groups: Group[] = []

  get groups(): readonly Group[] {
    return this.#groups
  }

  get shards(): number[] {
    return this.#groups.flatMap(({ shards }) => shards)
  }

  take(shard: number, cursor: Cursor): void {
    this.#groups.push({ shards: [shard], cursor })
    this.#merge()
  }

  /** The cursor of each shard. */
  *cursors(): Iterable<readonly [shard: number, cursor: Cursor]> {
    for (const { shards, cursor } of this.#groups) for (const shard of shards) yield [shard, cursor]
  }

  /** The group that was read longest ago, without some shards; `null`: none is left. */
  next(except: ReadonlySet<number>): Group | null {
    return this.#without(except)[0] ?? null
  }

  /** Whether shards have reached no target yet. */
  hasTarget(except: ReadonlySet<number>): boolean {
    return this.#without(except).some(({ cursor }) => cursor.target !== null)
  }

  /**
   * Whether groups should agree on a target before the next read: groups that reach the same target are merged and read
   * together from then on.
   */
  get shouldAlign(): boolean {
    return this.#groups.filter(({ cursor }) => cursor.target === null).length > 1
  }

  align(target: Moment): void {
    this.#groups = this.#groups.map(({ shards, cursor }) => ({
      shards,
      cursor: cursor.target === null ? { done: cursor.done, target, lastId: '0' } : cursor,
    }))
  }

  #without(except: ReadonlySet<number>): Group[] {
    return this.#groups
      .map(({ shards, cursor }) => ({ shards: shards.filter((shard) => !except.has(shard)), cursor }))
      .filter(({ shards }) => shards.length > 0)
  }

  /** All rows of a read were published or held. */
  passed({ shards, target, lastId, more }: ReadResult): void {
    const read = new Set(shards)
    const moved = this.#groups.map((group) => ({
      shards: group.shards.filter((shard) => read.has(shard)),
      cursor: more
        ? { done: group.cursor.done, target, lastId: lastId! }
        : { done: target, target: null, lastId: '0' },
    }))
    // Shards that were just read have their next turn last.
    this.#groups = [...this.#without(read), ...moved.filter((group) => group.shards.length > 0)]
    this.#merge()
  }

  #merge(): void {
    const merged = new Map<string, Group>()
    for (const { shards, cursor } of this.#groups) {
      const { done, target, lastId } = cursor
      const key = [done, target].map((at) => `${at?.snapshot} ${at?.id} ${at?.xid}`).join(' ') + lastId
      merged.set(key, { shards: [...(merged.get(key)?.shards ?? []), ...shards], cursor })
    }
    this.#groups = [...merged.values()]
  }
}
