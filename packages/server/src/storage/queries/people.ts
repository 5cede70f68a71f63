import type { Membership, Operator } from '../rows.ts'
import {
  type Boolish,
  MEMBER,
  type MemberRow,
  OPERATOR,
  type OperatorRow,
  toMember,
  toOperator,
  WORKSPACE,
} from './rowMappers.ts'
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
  withoutRights: sql`
    SELECT x.email,
      EXISTS (SELECT 1 ${FROM_MEMBERS} WHERE ${sameEmail('m.email', 'x.email')})
        OR EXISTS (SELECT 1 FROM operators o WHERE ${sameEmail('o.email', 'x.email')}) AS "fromProvider"
    FROM ${tableOf('x', '$1', { email: 'text' })}
    WHERE NOT EXISTS (SELECT 1 ${FROM_MEMBERS} WHERE ${sameEmail('m.email', 'x.email')} AND NOT m.from_provider)
      AND NOT EXISTS (SELECT 1 FROM operators o WHERE ${sameEmail('o.email', 'x.email')} AND NOT o.from_provider)`,
  removeOfMembers: sql`DELETE FROM sessions WHERE member_id ${isOneOf('$1', 'bigint')}`,
  removeOfEmails: sql`DELETE FROM browser_sessions WHERE ${emailIsOneOf('email', '$1')}`,
  removeByLink: sql`DELETE FROM browser_sessions WHERE ${emailIsOneOf('email', '$1')} AND NOT by_provider`,
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
  const found = email === null ? undefined : yield* row<OperatorRow>(peopleSql.operator, [email])
  return found === undefined ? null : toOperator(found)
}

/** What an address is in a session, or for a link. */
interface Rights {
  readonly memberships: readonly Membership[]
  readonly operator: Operator | null
}

/** @param byProvider whether what the claims of the identity provider gave counts as well */
export function* rightsOf(email: string | null, byProvider: boolean): Work<Rights> {
  const [memberships, operator] = yield* all(membershipsOf(email), operatorOf(email))
  const counts = ({ fromProvider }: { readonly fromProvider: boolean }) => byProvider || !fromProvider
  return {
    memberships: memberships.filter(({ member }) => counts(member)),
    operator: operator !== null && counts(operator) ? operator : null,
  }
}

/**
 * Ends the sessions of members, and those of addresses that have just lost a member and in which nothing is left that counts: when
 * such an address is added once more, a browser of before must not come back with it.
 */
export function* endSessionsWithoutRights(people: People, now: number): Work<unknown> {
  const found = yield* rows<{ readonly email: string; readonly fromProvider: Boolish }>(
    peopleSql.withoutRights,
    [records(people.emails.map((email) => ({ email })))],
  )
  const emailsOf = (fromProvider: boolean) =>
    found.filter((one) => Boolean(one.fromProvider) === fromProvider).map(({ email }) => email)
  return yield* endSessions({ ...people, emails: emailsOf(false) }, now, emailsOf(true))
}

interface People {
  readonly emails: readonly string[]
  readonly memberIds: readonly number[]
}

/**
 * Ends the sessions of addresses and of members, and uses up the links that would begin new ones.
 * @param byLink further addresses, whose sessions that began at the identity provider go on
 * @returns how many sessions
 */
export function* endSessions(people: People, now: number, byLink: readonly string[] = []): Work<number> {
  const [emails, members] = [textList(people.emails), numberList(people.memberIds)]
  const ofLinks = textList([...people.emails, ...byLink])
  // Links first: one that is being used right now is waited for, and its session is seen then.
  yield* all(run(peopleSql.useUpOfMembers, [members, now]), run(peopleSql.useUpOfEmails, [ofLinks, now]))
  const [ofMembers, ofEmails, ofRest] = yield* all(
    run(peopleSql.removeOfMembers, [members]),
    run(peopleSql.removeOfEmails, [emails]),
    run(peopleSql.removeByLink, [textList(byLink)]),
  )
  return ofMembers + ofEmails + ofRest
}
