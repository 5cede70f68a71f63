import { IdempotencyKeyReusedError } from '../storage.ts'
import type { Connection } from './connection.ts'
import { describeFailure } from './failures.ts'
import { type Call, type CallName, type CallParams, type CallTable, kindOf, type Reply } from './messages.ts'
import type { Store } from './store.ts'

const NO_LIMIT = () => true

/**
 * Runs calls in one transaction, since a commit costs as much as hundreds of rows. If one of them throws, the group is rolled
 * back and each call runs again in its own transaction, so that only the bad one fails. Replies are returned after the commit.
 * @param next returns the calls one by one; `undefined`: there are no more
 * @param hasTime whether another call may join: later calls wait for the whole group
 */
export function runGroup(
  store: Store,
  table: CallTable,
  next: () => Call | undefined,
  hasTime: () => boolean = NO_LIMIT,
): readonly Reply[] {
  const taken: Call[] = []
  const take = () => {
    const call = next()
    if (call !== undefined) taken.push(call)
    return call
  }
  try {
    return runTogether(store, table, take, hasTime)
  } catch (error) {
    if (taken.length === 1) return [{ id: taken[0]!.id, failure: describeFailure(error) }]
    return taken.flatMap((call) => {
      const alone = [call]
      return runGroup(store, table, () => alone.pop())
    })
  }
}

/** A group of reads needs no transaction on the writing connection: no other connection changes anything. */
function runTogether(
  store: Store,
  table: CallTable,
  take: () => Call | undefined,
  hasTime: () => boolean,
): readonly Reply[] {
  const { db } = store
  const replies: Reply[] = []
  let begun = false
  try {
    for (let call = take(); call !== undefined; call = hasTime() ? take() : undefined) {
      if (!begun && (db.readonly || kindOf(table[call.name]) === 'write')) {
        begin(db)
        begun = true
      }
      replies.push(run(table, call))
    }
    if (begun) db.exec(db.readonly ? 'ROLLBACK' : 'COMMIT')
    return replies
  } catch (error) {
    // The caches may contain rolled-back rows.
    store.matchCache.forgetAll()
    store.matchSets.forgetAll()
    rollBack(db)
    throw error
  }
}

/** A reader's transaction gives its statements one state of the store, although the writer commits in the meantime. */
function begin(db: Connection): void {
  // A rollback may have failed because of the disk; this is the next chance to try.
  rollBack(db)
  db.exec(db.readonly ? 'BEGIN' : 'BEGIN IMMEDIATE')
}

function run(table: CallTable, { id, name, params }: Call): Reply {
  const carryOut = table[name] as (params: unknown) => unknown
  try {
    return { id, result: carryOut(params as CallParams<CallName>) }
  } catch (error) {
    // Thrown before anything was written. Any client can cause it, so it must not roll back the group.
    if (error instanceof IdempotencyKeyReusedError) return { id, failure: describeFailure(error) }
    throw error
  }
}

/** Some failures have ended the transaction already. */
function rollBack(db: Connection): void {
  if (db.inTransaction) db.exec('ROLLBACK')
}
