import type { Connection } from '../connection.ts'

/** Whose sessions end. */
interface People {
  readonly emails: readonly string[]
  readonly memberIds: readonly number[]
}

export const sessionEnderSql = {
  removeOfMembers: 'DELETE FROM sessions WHERE member_id IN (SELECT value FROM json_each(?))',
  removeOfEmails: 'DELETE FROM browser_sessions WHERE email IN (SELECT value FROM json_each(?))',
  /** Used up and not removed: they go on being counted. */
  useUpOfMembers: `
    UPDATE sign_in_links SET used_at = ?
    WHERE member_id IN (SELECT value FROM json_each(?)) AND used_at IS NULL`,
  useUpOfEmails: `
    UPDATE sign_in_links SET used_at = ? WHERE email IN (SELECT value FROM json_each(?)) AND used_at IS NULL`,
}

/**
 * @returns a function that ends the sessions of addresses and of members, and uses up the links that would begin new
 * ones. It returns how many sessions.
 */
export function sessionEnder(db: Connection): (people: People, now: number) => number {
  const removeOfMembers = db.prepare<[string]>(sessionEnderSql.removeOfMembers)
  const removeOfEmails = db.prepare<[string]>(sessionEnderSql.removeOfEmails)
  const useUpOfMembers = db.prepare<[number, string]>(sessionEnderSql.useUpOfMembers)
  const useUpOfEmails = db.prepare<[number, string]>(sessionEnderSql.useUpOfEmails)
  return ({ emails, memberIds }, now) => {
    const [ofEmails, ofMembers] = [JSON.stringify(emails), JSON.stringify(memberIds)]
    useUpOfMembers.run(now, ofMembers)
    useUpOfEmails.run(now, ofEmails)
    return removeOfMembers.run(ofMembers).changes + removeOfEmails.run(ofEmails).changes
  }
}
