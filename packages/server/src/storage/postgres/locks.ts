import { createHash } from 'node:crypto'
import type { Tx } from './transaction.ts'

/** Workspaces share this many locks, so that a group of publishes to a thousand workspaces does not need a thousand. */
const WORKSPACE_LOCKS = 256

const sql = {
  shared: 'SELECT pg_advisory_xact_lock_shared($1, x) FROM unnest($2::int[]) x',
  exclusive: 'SELECT pg_advisory_xact_lock($1, x) FROM unnest($2::int[]) x',
  tryExclusive: 'SELECT pg_try_advisory_xact_lock($1, $2) AS taken',
}

const KINDS = {
  workspaces: 1,
  manualSends: 2,
  idempotencyKeys: 3,
  single: 4,
  signInLinks: 5,
  people: 6,
} as const

/** Work that one node at a time does. */
const SINGLE = {
  migrate: 1,
  partitions: 2,
  retention: 3,
  replays: 4,
  cancel: 5,
  stats: 6,
  search: 7,
  alerts: 8,
} as const

/**
 * Advisory locks of the database that last until their transaction ends. They are taken before any row is touched, and in
 * order, so that there are no deadlocks.
 */
export class Locks {
  readonly #base: number

  /** @param schema makes the locks differ from those of stores in other schemas of the database */
  constructor(schema: string) {
    this.#base = createHash('sha256').update(schema).digest().readInt32BE() & ~7
  }

  /**
   * Keeps the set of webhooks that are on: transactions that make a delivery pending take this lock, and those that change the
   * set take {@link exclude}. So neither sees a part of the other.
   */
  async keep(tx: Tx, workspaceIds: Iterable<number>): Promise<void> {
    await tx.rows(sql.shared, [this.#base | KINDS.workspaces, slots(workspaceIds)])
  }

  exclude(tx: Tx, workspaceIds: Iterable<number>): Promise<void> {
    return this.#exclusive(tx, 'workspaces', slots(workspaceIds))
  }

  /** Serializes manual sends of a workspace, since they are counted. */
  countManualSends(tx: Tx, workspaceId: number): Promise<void> {
    return this.#exclusive(tx, 'manualSends', slots([workspaceId]))
  }

  /** Serializes requests of links for an address, since they are counted. */
  countSignInLinks(tx: Tx, email: string): Promise<void> {
    return this.#exclusive(tx, 'signInLinks', `{${slotOf(email.toLowerCase())}}`)
  }

  /**
   * Serializes removals of people: each must see whether the address has left its other workspaces. It is taken before {@link
   * exclude}.
   */
  removePeople(tx: Tx): Promise<void> {
    return this.#exclusive(tx, 'people', '{0}')
  }

  /** Serializes calls under an idempotency key. */
  useIdempotencyKey(tx: Tx, scope: string, key: string): Promise<void> {
    return this.#exclusive(tx, 'idempotencyKeys', `{${slotOf(`${scope} ${key}`)}}`)
  }

  /** @returns false if another node is doing this work */
  async tryAlone(tx: Tx, work: keyof typeof SINGLE): Promise<boolean> {
    return (await tx.row<{ taken: boolean }>(sql.tryExclusive, [this.#base | KINDS.single, SINGLE[work]]))!
      .taken
  }

  /** Waits until no other node is doing this work. */
  alone(tx: Tx, work: keyof typeof SINGLE): Promise<void> {
    return this.#exclusive(tx, 'single', `{${SINGLE[work]}}`)
  }

  async #exclusive(tx: Tx, kind: keyof typeof KINDS, places: string): Promise<void> {
    await tx.rows(sql.exclusive, [this.#base | KINDS[kind], places])
  }
}

const slotOf = (text: string) => createHash('sha256').update(text).digest().readInt32BE()

function slots(workspaceIds: Iterable<number>): string {
  const distinct = new Set<number>()
  for (const id of workspaceIds) distinct.add(id % WORKSPACE_LOCKS)
  return `{${[...distinct].sort((a, b) => a - b).join()}}`
}
