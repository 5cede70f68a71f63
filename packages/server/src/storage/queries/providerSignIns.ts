import type { AuditEntry } from '../auditRows.ts'
import type { ProviderSignIn, SignInCalls } from '../interface/signIns.ts'
import type { BrowserSession, Member, Membership, Operator } from '../rows.ts'
import { addAudit, BY_RULE } from './audit.ts'
import { noteSignIn, openBrowserSession } from './browserSessions.ts'
import { endSessions, endSessionsWithoutRights, membershipsOf, operatorOf, rightsOf } from './people.ts'
import { type Queries, write } from './query.ts'

import { EMAIL_KEY, FOR_SHARE, sql } from './sql.ts'
import { all, callDriver, row, run, type Work } from './work.ts'

type Params = Parameters<SignInCalls['signInByProvider']>[0]

/** None touches what people made: they may be making it at this moment. */
const providerSignInSql = {
  createMember: sql`
    INSERT INTO members (public_id, workspace_id, email, name, role, created_at, from_provider)
    SELECT $2, id, $3, $4, $5, $6, TRUE FROM workspaces WHERE id = $1 AND deleted_at IS NULL ${FOR_SHARE}
    ON CONFLICT (workspace_id, ${EMAIL_KEY}) DO NOTHING RETURNING public_id AS "publicId"`,
  updateRole: sql`UPDATE members SET role = $2 WHERE id = $1 AND from_provider`,
  removeMember: sql`DELETE FROM members WHERE id = $1 AND from_provider`,
  createOperator: sql`
    INSERT INTO operators (public_id, email, name, created_at, from_provider) VALUES ($1, $2, $3, $4, TRUE)
    ON CONFLICT (${EMAIL_KEY}) DO NOTHING RETURNING public_id AS "publicId"`,
  removeOperator: sql`DELETE FROM operators WHERE id = $1 AND from_provider`,
}

export const providerSignInQueries: Queries<'signInByProvider'> = {
  signInByProvider: write(function* (params) {
    const { email, session, now, requestId } = params
    // One after another: each must see what the one before made.
    yield* callDriver('removePeople')
    const [memberships, operator] = yield* all(membershipsOf(email), operatorOf(email))
    const operatorChange = yield* alignOperator(params, operator)
    yield* alignMembers(params, memberships)
    const rights = yield* rightsOf(email, true)
    const hasAccess = rights.operator !== null || rights.memberships.length > 0
    const made: BrowserSession | null = hasAccess
      ? yield* openBrowserSession({ ...session, email, byProvider: true, now })
      : null
    if (made !== null) {
      const about = { workspaces: rights.memberships, session: made }
      yield* noteSignIn('member.signed_in', about, { by: 'provider' }, { now, requestId })
    }
    return { session: made, operatorChange } satisfies ProviderSignIn
  }),
}

/** Creates, or removes with its sessions, the operator of an address, unless people made it. */
function* alignOperator(
  { email, name, operator, now }: Params,
  existing: Operator | null,
): Work<ProviderSignIn['operatorChange']> {
  if (existing === null) {
    if (operator === null) return null
    const values = [operator.publicId, email, name, now]
    const made = yield* row<Pick<Operator, 'publicId'>>(providerSignInSql.createOperator, values)
    return made === undefined ? null : { change: 'added', publicId: made.publicId }
  }
  if (operator !== null || !existing.fromProvider) return null
  if ((yield* run(providerSignInSql.removeOperator, [existing.id])) === 0) return null
  yield* endSessions({ emails: [email], memberIds: [] }, now)
  return { change: 'removed', publicId: existing.publicId }
}

/** Brings what the provider's claims gave an address in workspaces up to date, and notes each change in their audit logs. */
function* alignMembers(params: Params, memberships: readonly Membership[]): Work<void> {
  const wanted = new Map(params.members.map((member) => [member.workspaceId, member]))
  for (const { member, workspace } of memberships) {
    const given = wanted.get(workspace.id)
    wanted.delete(workspace.id)
    if (!member.fromProvider) continue
    if (given === undefined) yield* removeMember(params, { member, workspace })
    else if (given.role !== member.role) {
      if ((yield* run(providerSignInSql.updateRole, [member.id, given.role])) > 0)
        yield* note(params, 'member.updated', workspace.publicId, member.publicId, {
          members: ['role'],
          role: given.role,
        })
    }
  }
  for (const { workspaceId, workspacePublicId, publicId, role } of wanted.values()) {
    if (publicId === null) continue
    const values = [workspaceId, publicId, params.email, params.name, role, params.now]
    const made = yield* row<Pick<Member, 'publicId'>>(providerSignInSql.createMember, values)
    if (made !== undefined) yield* note(params, 'member.created', workspacePublicId, publicId, { role })
  }
}

function* removeMember(params: Params, { member, workspace }: Membership): Work<void> {
  if ((yield* run(providerSignInSql.removeMember, [member.id])) === 0) return
  yield* endSessionsWithoutRights({ emails: [member.email], memberIds: [] }, params.now)
  yield* note(params, 'member.deleted', workspace.publicId, member.publicId, {})
}

const note = (
  { now, requestId }: Params,
  action: 'member.created' | 'member.updated' | 'member.deleted',
  workspacePublicId: string,
  id: string,
  details: AuditEntry['details'],
): Work<unknown> =>
  addAudit(
    {
      action,
      actor: BY_RULE,
      workspacePublicId,
      target: { type: 'member', id },
      details: { ...details, by: 'provider' },
      requestId,
    },
    now,
  )
