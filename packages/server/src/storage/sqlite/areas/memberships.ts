import { MEMBER_COLUMNS, type MemberRow, toMember } from '../../records/members.ts'
import { OPERATOR_COLUMNS, type OperatorRow, toOperator } from '../../records/signIns.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { Membership, Operator } from '../../rows.ts'
import type { Connection } from '../connection.ts'

export const membershipSql = {
  ofEmail: `SELECT ${MEMBER_COLUMNS} FROM members WHERE email = ? ORDER BY id`,
  byId: `SELECT ${MEMBER_COLUMNS} FROM members WHERE id = ?`,
  workspace: `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = ? AND deleted_at IS NULL`,
  operator: `SELECT ${OPERATOR_COLUMNS} FROM operators WHERE email = ?`,
  nobody: `
    SELECT x.value FROM json_each(?) x
    WHERE NOT EXISTS (SELECT 1 FROM members m JOIN workspaces s ON s.id = m.workspace_id
        WHERE m.email = x.value AND s.deleted_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM operators o WHERE o.email = x.value)`,
}

/** What an address or a member is here and now. */
export function memberships(db: Connection) {
  const ofEmail = db.prepare<[string], MemberRow>(membershipSql.ofEmail)
  const byId = db.prepare<[number], MemberRow>(membershipSql.byId)
  const workspaceOf = db.prepare<[number], WorkspaceRow>(membershipSql.workspace)
  const operator = db.prepare<[string], OperatorRow>(membershipSql.operator)
  const nobody = db.prepare<[string], string>(membershipSql.nobody).pluck()

  function withWorkspace(row: MemberRow): Membership | null {
    const workspace = workspaceOf.get(row.workspace_id)
    return workspace === undefined ? null : { member: toMember(row), workspace: toWorkspace(workspace) }
  }

  return {
    /** Oldest first. */
    ofEmail: (email: string): readonly Membership[] =>
      ofEmail.all(email).flatMap((row) => withWorkspace(row) ?? []),
    ofMember(id: number): Membership | null {
      const row = byId.get(id)
      return row === undefined ? null : withWorkspace(row)
    },
    operator(email: string): Operator | null {
      const row = operator.get(email)
      return row === undefined ? null : toOperator(row)
    },
    /**
     * Of addresses that have just lost a member those that are nobody any more. Their sessions are to end: whoever is let in
     * again under such an address must not let in a browser of before.
     */
    nobodyOf: (emails: readonly string[]): readonly string[] => nobody.all(JSON.stringify(emails)),
  }
}
