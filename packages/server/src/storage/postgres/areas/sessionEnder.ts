import { numbers, texts } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

const LOWERED = 'ANY (ARRAY(SELECT lower(x) FROM unnest($1::text[]) x))'

export const sessionEnderSql = {
  removeOfMembers: 'DELETE FROM sessions WHERE member_id = ANY ($1::bigint[])',
  removeOfEmails: `DELETE FROM browser_sessions WHERE lower(email) = ${LOWERED}`,
  /** Used up and not removed: they go on being counted. */
  useUpOfMembers:
    'UPDATE sign_in_links SET used_at = $2 WHERE member_id = ANY ($1::bigint[]) AND used_at IS NULL',
  useUpOfEmails: `
    UPDATE sign_in_links SET used_at = $2
    WHERE lower(email) = ${LOWERED} AND email IS NOT NULL AND used_at IS NULL`,
}

/**
 * Ends the sessions of addresses and of members, and uses up the links that would begin new ones.
 * @returns how many sessions
 */
export async function endSessions(
  tx: Tx,
  people: { readonly emails: readonly string[]; readonly memberIds: readonly number[] },
  now: number,
): Promise<number> {
  const [emails, members] = [texts(people.emails), numbers(people.memberIds)]
  // Links first: one that is being used right now is waited for, and its session is seen then.
  await Promise.all([
    tx.run(sessionEnderSql.useUpOfMembers, [members, now]),
    tx.run(sessionEnderSql.useUpOfEmails, [emails, now]),
  ])
  const [ofMembers, ofEmails] = await Promise.all([
    tx.run(sessionEnderSql.removeOfMembers, [members]),
    tx.run(sessionEnderSql.removeOfEmails, [emails]),
  ])
  return ofMembers + ofEmails
}
