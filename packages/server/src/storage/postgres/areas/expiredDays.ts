import { isLockTimeout } from '../failures.ts'
import { type Day, dropping, type Partitions } from '../partitions.ts'
import type { Tx } from '../transaction.ts'

/** Whoever comes while the tables of a day are waited for waits as well: no longer than this for each of them. */
const LOCK_WITHIN_MS = 500

const HELD = 'EXISTS (SELECT 1 FROM leases WHERE open > 0 AND from_time < $2 AND to_time >= $1)'

export const expiredDaySql = {
  held: `SELECT ${HELD} AS yes`,
  deleteWaiting: `
    DELETE FROM waiting WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM waiting WHERE created_at >= $1 AND created_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED))`,
  needed: `
    SELECT ${HELD} OR EXISTS (SELECT 1 FROM waiting WHERE created_at >= $1 AND created_at < $2) AS yes`,
}

/** @returns days of which everything is older than `before` and nothing is leased, oldest first */
export async function expiredDays(tx: Tx, days: readonly Day[], before: number): Promise<readonly Day[]> {
  const old = days.filter(({ to }) => to <= before)
  const held = await Promise.all(old.map((day) => is(tx, expiredDaySql.held, day)))
  return old.filter((_, index) => !held[index])
}

/** Nothing of these days is claimed from here on. @returns how many waited */
export async function deleteWaiting(tx: Tx, days: readonly Day[], limit: number): Promise<number> {
  let deleted = 0
  for (const { from, to } of days) {
    if (deleted < limit) deleted += await tx.run(expiredDaySql.deleteWaiting, [from, to, limit - deleted])
  }
  return deleted
}

/**
 * Drops the tables of a day, in a transaction that has changed nothing else. A day that is needed again, or whose
 * tables somebody is busy with, is left for another time.
 * @returns whether it is gone
 */
export async function dropDay(tx: Tx, partitions: Partitions, day: Day): Promise<boolean> {
  if (await is(tx, expiredDaySql.needed, day)) return false
  await tx.command(`SAVEPOINT whole; SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`)
  try {
    await tx.command(dropping(day))
    // Nobody reaches these tables any more: what is known now of what is leased and waits is final.
    if (!(await is(tx, expiredDaySql.needed, day))) {
      tx.onCommit(() => partitions.forget())
      tx.onDoubt(() => partitions.forget())
      return true
    }
  } catch (error) {
    if (!isLockTimeout(error)) throw error
  }
  await tx.command('ROLLBACK TO SAVEPOINT whole')
  return false
}

async function is(tx: Tx, sql: string, { from, to }: Day): Promise<boolean> {
  return (await tx.row<{ yes: boolean }>(sql, [from, to]))!.yes
}
