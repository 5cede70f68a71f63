import type { Membership, Operator } from '../rows.ts'
import { MEMBER, type MemberRow, OPERATOR, toMember, WORKSPACE } from './records.ts'
import {
  asObject,
  columns,
  emailIsOneOf,
  type Fragment,
  isOneOf,
  joinEach,
  numberList,
  objectOf,
  records,
  sameEmail,
  sql,
  tableOf,
  textList,
} from './sql.ts'
import { all, row, rows, run, type Work } from './work.ts'

const FROM_MEMBERS = sql`
  FROM members m ${joinEach('workspaces', 's', 's.id = m.workspace_id AND s.deleted_at IS NULL')}`

const select = (condition: string | Fragment) => sql`
  SELECT ${asObject(MEMBER, 'm')} AS member, ${asObject(WORKSPACE, 's')} AS workspace
  ${FROM_MEMBERS} WHERE ${condition} ORDER BY m.id`

export const peopleSql = {
  ofEmail: select(sameEmail('m.email', '$1')),
  ofMember: select('m.id = $1'),
  operator: sql`SELECT ${columns(OPERATOR)} FROM operators WHERE ${sameEmail('email', '$1')}`,
  knownToNone: sql`
    SELECT x.email FROM ${tableOf('x', '$1', { email: 'text' })}
    WHERE NOT EXISTS (SELECT 1 ${FROM_MEMBERS} WHERE ${sameEmail('m.email', 'x.email')})
      AND NOT EXISTS (SELECT 1 FROM operators o WHERE ${sameEmail('o.email', 'x.email')})`,
  removeOfMembers: sql`DELETE FROM sessions WHERE member_id ${isOneOf('$1', 'bigint')}`,
  removeOfEmails: sql`DELETE FROM browser_sessions WHERE ${emailIsOneOf('email', '$1')}`,
  /** Used up and not removed: they go on being counted. */
  useUpOfMembers: sql`
    UPDATE sign_in_links SET used_at = $2 WHERE member_id ${isOneOf('$1', 'bigint')} AND used_at IS NULL`,
  useUpOfEmails: sql`
    UPDATE sign_in_links SET used_at = $2
    WHERE ${emailIsOneOf('email', '$1')} AND email IS NOT NULL AND used_at IS NULL`,
}

export interface MembershipRow {
  readonly member: MemberRow | string
  readonly workspace: Membership['workspace'] | string
}

export const toMembership = ({ member, workspace }: MembershipRow): Membership => ({
  member: toMember(objectOf(member)),
  workspace: objectOf(workspace),
})

/** What an address is here and now; oldest first. */
export function* membershipsOf(email: string | null): Work<readonly Membership[]> {
  if (email === null) return []
  return (yield* rows<MembershipRow>(peopleSql.ofEmail, [email])).map(toMembership)
}

export function* membershipOf(memberId: number): Work<Membership | null> {
  const found = yield* row<MembershipRow>(peopleSql.ofMember, [memberId])
  return found === undefined ? null : toMembership(found)
}

export function* operatorOf(email: string | null): Work<Operator | null> {
  return email === null ? null : ((yield* row<Operator>(peopleSql.operator, [email])) ?? null)
}

/**
 * Of addresses that have just lost a member, those that no workspace and no operator has any more. Their sessions end: when such
 * an address is added once more, a browser of before must not come back with it.
 */
export function* knownToNone(emails: readonly string[]): Work<readonly string[]> {
  const found = yield* rows<{ readonly email: string }>(peopleSql.knownToNone, [
    records(emails.map((email) => ({ email }))),
  ])
  return found.map(({ email }) => email)
}

/**
 * Ends the sessions of addresses and of members, and uses up the links that would begin new ones.
 * @returns how many sessions
 */
export function* endSessions(
  people: { readonly emails: readonly string[]; readonly memberIds: readonly number[] },
  now: number,
): Work<number> {
  const [emails, members] = [textList(people.emails), numberList(people.memberIds)]
  // Links first: one that is being used right now is waited for, and its session is seen then.
  yield* all(run(peopleSql.useUpOfMembers, [members, now]), run(peopleSql.useUpOfEmails, [emails, now]))
  const [ofMembers, ofEmails] = yield* all(
    run(peopleSql.removeOfMembers, [members]),
    run(peopleSql.removeOfEmails, [emails]),
  )
  return ofMembers + ofEmails
}
