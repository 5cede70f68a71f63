import type { Connection } from '../connection.ts'

const sql = {
  removeOfMember: 'DELETE FROM sessions WHERE member_id = ?',
  removeOfEmail: 'DELETE FROM browser_sessions WHERE email = ?',
  /** Used up and not removed: they go on being counted. */
  useUpOfMember: 'UPDATE sign_in_links SET used_at = ? WHERE member_id = ? AND used_at IS NULL',
  useUpOfEmail: 'UPDATE sign_in_links SET used_at = ? WHERE email = ? AND used_at IS NULL',
}

/** Ends sessions, and uses up the links that would begin new ones. */
export function sessionEnder(db: Connection) {
  const removeOfMember = db.prepare<[number]>(sql.removeOfMember)
  const removeOfEmail = db.prepare<[string]>(sql.removeOfEmail)
  const useUpOfMember = db.prepare<[number, number]>(sql.useUpOfMember)
  const useUpOfEmail = db.prepare<[number, string]>(sql.useUpOfEmail)
  return {
    /** @returns how many sessions */
    ofMember(memberId: number, now: number): number {
      useUpOfMember.run(now, memberId)
      return removeOfMember.run(memberId).changes
    },
    /** @returns how many sessions */
    ofEmail(email: string, now: number): number {
      useUpOfEmail.run(now, email)
      return removeOfEmail.run(email).changes
    },
  }
}
