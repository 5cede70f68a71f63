import { MEMBER_COLUMNS, type MemberRow, toMember } from '../../records/members.ts'
import { OPERATOR_COLUMNS, type OperatorRow, toOperator } from '../../records/signIns.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { Membership, Operator } from '../../rows.ts'
import type { Tx } from '../transaction.ts'

/** Workspaces are looked up one by one, whatever a planner without statistics thinks. */
const select = (condition: string) => `
  SELECT to_json(m) AS member, to_json(s) AS workspace
  FROM (SELECT ${MEMBER_COLUMNS} FROM members WHERE ${condition}) m
  CROSS JOIN LATERAL (
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = m.workspace_id AND deleted_at IS NULL OFFSET 0) s
  ORDER BY m.id`

export const membershipSql = {
  ofEmail: select('lower(email) = lower($1)'),
  ofMember: select('id = $1'),
  operator: `SELECT ${OPERATOR_COLUMNS} FROM operators WHERE lower(email) = lower($1)`,
}

interface MembershipRow {
  readonly member: MemberRow
  readonly workspace: WorkspaceRow
}

const toMembership = (row: MembershipRow): Membership => ({
  member: toMember(row.member),
  workspace: toWorkspace(row.workspace),
})

/** What an address is here and now; oldest first. */
export async function membershipsOf(tx: Tx, email: string | null): Promise<readonly Membership[]> {
  if (email === null) return []
  return (await tx.rows<MembershipRow>(membershipSql.ofEmail, [email])).map(toMembership)
}

export async function membershipOf(tx: Tx, memberId: number): Promise<Membership | null> {
  const row = await tx.row<MembershipRow>(membershipSql.ofMember, [memberId])
  return row === undefined ? null : toMembership(row)
}

export async function operatorOf(tx: Tx, email: string | null): Promise<Operator | null> {
  const row = email === null ? undefined : await tx.row<OperatorRow>(membershipSql.operator, [email])
  return row === undefined ? null : toOperator(row)
}
