import type { LinkMaker } from '../interface/signIns.ts'
import type { AuditEntry, BrowserSession, Membership, Operator, SignInLink } from '../rows.ts'

export const OPERATOR_COLUMNS = 'id, public_id, email, name, created_at'
export const BROWSER_SESSION_COLUMNS = 'id, public_id, email, created_at, expires_at'
export const LINK_COLUMNS = 'id, kind, email, member_id, created_at, expires_at, used_at'

export interface OperatorRow {
  readonly id: number
  readonly public_id: string
  readonly email: string
  readonly name: string
  readonly created_at: number
}

export interface BrowserSessionRow {
  readonly id: number
  readonly public_id: string
  readonly email: string | null
  readonly created_at: number
  readonly expires_at: number
}

export interface LinkRow {
  readonly id: number
  readonly kind: SignInLink['kind']
  readonly email: string | null
  readonly member_id: number | null
  readonly created_at: number
  readonly expires_at: number
  readonly used_at: number | null
}

/** Of a link for an address that is being used. */
export interface UsedLink {
  readonly email: string
  readonly kind: 'email' | 'operator'
}

export const toOperator = (row: OperatorRow): Operator => ({
  id: row.id,
  publicId: row.public_id,
  email: row.email,
  name: row.name,
  createdAt: row.created_at,
})

export const toBrowserSession = (row: BrowserSessionRow): BrowserSession => ({
  id: row.id,
  publicId: row.public_id,
  email: row.email,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

export const toSignInLink = (row: LinkRow): SignInLink => ({
  id: row.id,
  kind: row.kind,
  email: row.email,
  memberId: row.member_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
})

/** What the audit log calls links by who handed them over. */
export const LINK_NAMES = {
  email: 'sign_in_link',
  operator: 'operators_link',
  portal: 'portal_link',
} as const satisfies Record<SignInLink['kind'], string>

/** What the audit log of a workspace says of a link that somebody made for one of its members. */
export const linkEntry = (
  { member, workspace }: Membership,
  { actor, requestId }: LinkMaker,
): Omit<AuditEntry, 'id' | 'at'> => ({
  action: 'member.sign_in_link_created',
  actor,
  workspacePublicId: workspace.publicId,
  target: { type: 'member', id: member.publicId },
  details: {},
  requestId,
})

/** What the audit log of a workspace says of a member who signed in or out. */
export const signInEntry = (
  action: 'member.signed_in' | 'member.signed_out',
  { member, workspace }: Membership,
  session: { readonly publicId: string },
  { requestId, details }: { readonly requestId: string; readonly details: AuditEntry['details'] },
): Omit<AuditEntry, 'id' | 'at'> => ({
  action,
  actor: { type: 'member', id: member.publicId, sessionId: session.publicId },
  workspacePublicId: workspace.publicId,
  target: { type: 'member', id: member.publicId },
  details,
  requestId,
})
