import { emailIsOneOf, isOneOf, numberList, sql, textList } from './sql.ts'
import { all, run, type Work } from './work.ts'

export const sessionEnderSql = {
  removeOfMembers: sql`DELETE FROM sessions WHERE member_id ${isOneOf('$1', 'bigint')}`,
  removeOfEmails: sql`DELETE FROM browser_sessions WHERE ${emailIsOneOf('email', '$1')}`,
  /** Used up and not removed: they go on being counted. */
  useUpOfMembers: sql`
    UPDATE sign_in_links SET used_at = $2 WHERE member_id ${isOneOf('$1', 'bigint')} AND used_at IS NULL`,
  useUpOfEmails: sql`
    UPDATE sign_in_links SET used_at = $2
    WHERE ${emailIsOneOf('email', '$1')} AND email IS NOT NULL AND used_at IS NULL`,
}

interface People {
  readonly emails: readonly string[]
  readonly memberIds: readonly number[]
}

/**
 * Ends the sessions of addresses and of members, and uses up the links that would begin new ones.
 * @returns how many sessions
 */
export function* endSessions(people: People, now: number): Work<number> {
  const [emails, members] = [textList(people.emails), numberList(people.memberIds)]
  // Links first: one that is being used right now is waited for, and its session is seen then.
  yield* all(
    run(sessionEnderSql.useUpOfMembers, [members, now]),
    run(sessionEnderSql.useUpOfEmails, [emails, now]),
  )
  const [ofMembers, ofEmails] = yield* all(
    run(sessionEnderSql.removeOfMembers, [members]),
    run(sessionEnderSql.removeOfEmails, [emails]),
  )
  return ofMembers + ofEmails
}
