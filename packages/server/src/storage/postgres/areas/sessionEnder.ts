import { numbers } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

const sql = {
  removeOfMembers: 'DELETE FROM sessions WHERE member_id = ANY ($1::bigint[])',
  removeOfEmail: 'DELETE FROM browser_sessions WHERE lower(email) = lower($1)',
  /** Used up and not removed: they go on being counted. */
  useUpOfMembers:
    'UPDATE sign_in_links SET used_at = $2 WHERE member_id = ANY ($1::bigint[]) AND used_at IS NULL',
  useUpOfEmail: `
    UPDATE sign_in_links SET used_at = $2
    WHERE lower(email) = lower($1) AND email IS NOT NULL AND used_at IS NULL`,
}

/**
 * Ends the sessions of an address and of members with it, and uses up the links that would begin new ones.
 * @param people.email `null`: those of the members alone
 * @returns how many sessions
 */
export async function endSessions(
  tx: Tx,
  { email, memberIds }: { readonly email: string | null; readonly memberIds: readonly number[] },
  now: number,
): Promise<number> {
  const members = numbers(memberIds)
  // Links first: one that is being used right now is waited for, and its session is seen then.
  await Promise.all([tx.run(sql.useUpOfMembers, [members, now]), tx.run(sql.useUpOfEmail, [email, now])])
  const [ofMembers, ofEmail] = await Promise.all([
    tx.run(sql.removeOfMembers, [members]),
    tx.run(sql.removeOfEmail, [email]),
  ])
  return ofMembers + ofEmail
}
