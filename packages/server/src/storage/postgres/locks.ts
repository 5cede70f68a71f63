import { createHash } from 'node:crypto'
import type { Tx } from './transaction.ts'

/** Workspaces share this many locks, so that a group of publishes to a thousand workspaces takes no thousand. */
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
const SINGLE = { migrate: 1, partitions: 2, retention: 3, replays: 4, cancel: 5, figures: 6 } as const

/**
 * Locks of the database that last as long as their transaction. They are taken before any row is touched and in
 * order, so that nobody waits in a circle.
 */
export class Locks {
  readonly #base: number

  /** @param schema locks are the database's, and stores in several schemas must not meet */
  constructor(schema: string) {
    this.#base = createHash('sha256').update(schema).digest().readInt32BE() & ~7
  }

  /**
   * Keeps the set of webhooks that are on as it is: whoever makes a delivery pending holds this until the commit.
   * Whoever changes that set holds {@link exclude}, and so neither sees the other half done.
   */
  async keep(tx: Tx, workspaceIds: Iterable<number>): Promise<void> {
    await tx.rows(sql.shared, [this.#base | KINDS.workspaces, slots(workspaceIds)])
  }

  exclude(tx: Tx, workspaceIds: Iterable<number>): Promise<void> {
    return this.#exclusive(tx, 'workspaces', slots(workspaceIds))
  }

  /** One manual send of a workspace after another, since they are counted. */
  countManualSends(tx: Tx, workspaceId: number): Promise<void> {
    return this.#exclusive(tx, 'manualSends', slots([workspaceId]))
  }

  /** One link for an address after another, since they are counted. */
  countSignInLinks(tx: Tx, email: string): Promise<void> {
    return this.#exclusive(tx, 'signInLinks', `{${slotOf(email.toLowerCase())}}`)
  }

  /**
   * One removal of people after another: who has left another workspace meanwhile is somebody no more. It is taken before
   * {@link exclude}.
   */
  removePeople(tx: Tx): Promise<void> {
    return this.#exclusive(tx, 'people', '{0}')
  }

  /** One call under an idempotency key after another. */
  useIdempotencyKey(tx: Tx, scope: string, key: string): Promise<void> {
    return this.#exclusive(tx, 'idempotencyKeys', `{${slotOf(`${scope} ${key}`)}}`)
  }

  /** @returns false when another node is at it. */
  async tryAlone(tx: Tx, work: keyof typeof SINGLE): Promise<boolean> {
    return (await tx.row<{ taken: boolean }>(sql.tryExclusive, [this.#base | KINDS.single, SINGLE[work]]))!
      .taken
  }

  /** Waits until no other node is at it. */
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
