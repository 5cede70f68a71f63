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
}

/** What an address or a member is here and now. */
export function memberships(db: Connection) {
  const ofEmail = db.prepare<[string], MemberRow>(membershipSql.ofEmail)
  const byId = db.prepare<[number], MemberRow>(membershipSql.byId)
  const workspaceOf = db.prepare<[number], WorkspaceRow>(membershipSql.workspace)
  const operator = db.prepare<[string], OperatorRow>(membershipSql.operator)

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
  }
}
