import { MEMBER_COLUMN_NAMES, type MemberRow, toMember } from '../rowMappers/members.ts'
import { OPERATOR_COLUMNS, type OperatorRow, toOperator } from '../rowMappers/signIns.ts'
import { toWorkspace, WORKSPACE_COLUMN_NAMES, type WorkspaceRow } from '../rowMappers/workspaces.ts'
import type { Membership, Operator } from '../rows.ts'
import { asObject, type Fragment, joinEach, objectOf, records, sameEmail, sql, tableOf } from './sql.ts'
import { row, rows, type Work } from './work.ts'

const FROM_MEMBERS = sql`
  FROM members m ${joinEach('workspaces', 's', 's.id = m.workspace_id AND s.deleted_at IS NULL')}`

const select = (condition: string | Fragment) => sql`
  SELECT ${asObject('m', MEMBER_COLUMN_NAMES)} AS member, ${asObject('s', WORKSPACE_COLUMN_NAMES)} AS workspace
  ${FROM_MEMBERS} WHERE ${condition} ORDER BY m.id`

export const membershipSql = {
  ofEmail: select(sameEmail('m.email', '$1')),
  ofMember: select('m.id = $1'),
  operator: sql`SELECT ${OPERATOR_COLUMNS} FROM operators WHERE ${sameEmail('email', '$1')}`,
  knownToNone: sql`
    SELECT x.email FROM ${tableOf('x', '$1', { email: 'text' })}
    WHERE NOT EXISTS (SELECT 1 ${FROM_MEMBERS} WHERE ${sameEmail('m.email', 'x.email')})
      AND NOT EXISTS (SELECT 1 FROM operators o WHERE ${sameEmail('o.email', 'x.email')})`,
}

interface MembershipRow {
  readonly member: MemberRow | string
  readonly workspace: WorkspaceRow | string
}

const toMembership = (row: MembershipRow): Membership => ({
  member: toMember(objectOf(row.member)),
  workspace: toWorkspace(objectOf(row.workspace)),
})

/** What an address is here and now; oldest first. */
export function* membershipsOf(email: string | null): Work<readonly Membership[]> {
  if (email === null) return []
  return (yield* rows<MembershipRow>(membershipSql.ofEmail, [email])).map(toMembership)
}

export function* membershipOf(memberId: number): Work<Membership | null> {
  const found = yield* row<MembershipRow>(membershipSql.ofMember, [memberId])
  return found === undefined ? null : toMembership(found)
}

export function* operatorOf(email: string | null): Work<Operator | null> {
  const found = email === null ? undefined : yield* row<OperatorRow>(membershipSql.operator, [email])
  return found === undefined ? null : toOperator(found)
}

/**
 * Of addresses that have just lost a member, those that no workspace and no operator has any more. Their sessions end: when such
 * an address is added once more, a browser of before must not come back with it.
 */
export function* knownToNone(emails: readonly string[]): Work<readonly string[]> {
  const found = yield* rows<{ readonly email: string }>(membershipSql.knownToNone, [
    records(emails.map((email) => ({ email }))),
  ])
  return found.map(({ email }) => email)
}
