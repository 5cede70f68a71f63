import { IdempotencyKeyReusedError } from '../storage.ts'
import type { Connection } from './connection.ts'
import { describeFailure } from './failures.ts'
import type { Call, Reply, VerbName, VerbParams, VerbTable } from './messages.ts'
import type { Store } from './store.ts'
import { isRead } from './verbs.ts'

/**
 * Runs all of `calls` in one transaction, since a commit costs as much as hundreds of rows. Should one of them
 * throw, nothing of the group is kept and each runs again in a transaction of its own, so that only the bad one
 * fails. Replies are made after the commit.
 */
export function runGroup(store: Store, verbs: VerbTable, calls: readonly Call[]): readonly Reply[] {
  try {
    return inTransaction(store, calls, () => calls.map((call) => run(verbs, call)))
  } catch (error) {
    if (calls.length === 1) return [{ id: calls[0]!.id, failure: describeFailure(error) }]
    return calls.flatMap((call) => runGroup(store, verbs, [call]))
  }
}

function run(verbs: VerbTable, { id, verb, params }: Call): Reply {
  const carryOut = verbs[verb] as (params: unknown) => unknown
  try {
    return { id, result: carryOut(params as VerbParams<VerbName>) }
  } catch (error) {
    // Thrown before anything was written. Any client can bring it about, so the others must not pay for it.
    if (error instanceof IdempotencyKeyReusedError) return { id, failure: describeFailure(error) }
    throw error
  }
}

function inTransaction<Result>(store: Store, calls: readonly Call[], work: () => Result): Result {
  const { db } = store
  if (calls.every((call) => isRead(call.verb))) return db.readonly ? inSnapshot(db, work) : work()
  // A rollback may have failed with the disk; this is the next time to try.
  rollBack(db)
  try {
    db.exec('BEGIN IMMEDIATE')
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    store.matchCache.forgetAll()
    rollBack(db)
    throw error
  }
}

/** What a call reads by several statements belongs together, though the writer commits meanwhile. */
function inSnapshot<Result>(db: Connection, work: () => Result): Result {
  try {
    db.exec('BEGIN')
    return work()
  } finally {
    rollBack(db)
  }
}

/** Some failures have ended the transaction already. */
function rollBack(db: Connection): void {
  if (db.inTransaction) db.exec('ROLLBACK')
}
