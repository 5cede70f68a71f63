import type { Static } from 'typebox'
import type { Membership } from '../../storage/rows.ts'
import type { SignedIn } from '../shared/caller.ts'
import type { Context } from '../shared/context.ts'
import { isOperator } from '../shared/shownCredential.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type { SessionSchema } from './schemas.ts'

export function sessionJson({ engine }: Context, signedIn: SignedIn): Static<typeof SessionSchema> {
  const service = { sending_paused_since: isoTimeOrNull(engine.egress.allHeldSince) }
  const expires_at = isoTime(signedIn.session.expiresAt)
  if (signedIn.kind === 'session') {
    const { email, name } = signedIn.member
    return {
      email,
      name,
      operator: false,
      operator_id: null,
      expires_at,
      ...service,
      workspaces: [membershipJson(signedIn)],
    }
  }
  const { session, operator, memberships } = signedIn
  const byName = [...memberships].sort((a, b) => a.workspace.name.localeCompare(b.workspace.name))
  return {
    email: session.email,
    name: operator?.name ?? memberships[0]?.member.name ?? null,
    operator: isOperator(signedIn),
    operator_id: operator?.publicId ?? null,
    expires_at,
    ...service,
    workspaces: byName.map(membershipJson),
  }
}

const membershipJson = ({ member, workspace }: Membership) => ({
  id: workspace.publicId,
  slug: workspace.slug,
  name: workspace.name,
  dialect: workspace.dialect,
  role: member.role,
  member_id: member.publicId,
  suspended_at: isoTimeOrNull(workspace.suspendedAt),
})
