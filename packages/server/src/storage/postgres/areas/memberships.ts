import { MEMBER_COLUMNS, type MemberRow, toMember } from '../../records/members.ts'
import { OPERATOR_COLUMNS, type OperatorRow, toOperator } from '../../records/signIns.ts'
import { toWorkspace, WORKSPACE_COLUMNS, type WorkspaceRow } from '../../records/workspaces.ts'
import type { Membership, Operator } from '../../rows.ts'
import { texts } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

/** Workspaces are looked up one by one, whatever a planner without statistics thinks. */
const select = (condition: string) => `
  SELECT to_json(m) AS member, to_json(s) AS workspace
  FROM (SELECT ${MEMBER_COLUMNS} FROM members WHERE ${condition}) m
  CROSS JOIN LATERAL (
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = m.workspace_id AND deleted_at IS NULL OFFSET 0) s
  ORDER BY m.id`

const membersWith = (email: string) => select(`lower(email) = lower(${email})`)
const operatorWith = (email: string) =>
  `SELECT ${OPERATOR_COLUMNS} FROM operators WHERE lower(email) = lower(${email})`

export const membershipSql = {
  ofEmail: membersWith('$1'),
  ofMember: select('id = $1'),
  operator: operatorWith('$1'),
  nobody: `
    SELECT x AS email FROM unnest($1::text[]) x
    WHERE NOT EXISTS (${membersWith('x')}) AND NOT EXISTS (${operatorWith('x')})`,
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

/**
 * Of addresses that have just lost a member those that are nobody any more. Their sessions are to end: whoever is let in
 * again under such an address must not let in a browser of before.
 */
export async function nobodyOf(tx: Tx, emails: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.rows<{ email: string }>(membershipSql.nobody, [texts(emails)])
  return rows.map(({ email }) => email)
}
