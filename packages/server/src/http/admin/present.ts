import type { Static } from 'typebox'
import type { AdminToken, ApiKey, Member, Operator, Workspace } from '../../storage/rows.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type { AdminTokenSchema, KeySchema, MemberSchema, OperatorSchema, WorkspaceSchema } from './schemas.ts'

export const workspaceJson = (workspace: Workspace): Static<typeof WorkspaceSchema> => ({
  id: workspace.publicId,
  dialect: workspace.dialect,
  slug: workspace.slug,
  name: workspace.name,
  suspended_at: isoTimeOrNull(workspace.suspendedAt),
  created_at: isoTime(workspace.createdAt),
})

export const memberJson = (member: Member): Static<typeof MemberSchema> => ({
  id: member.publicId,
  email: member.email,
  name: member.name,
  role: member.role,
  // Not known for the repeat of a request that an earlier release answered.
  from_provider: Boolean(member.fromProvider),
  created_at: isoTime(member.createdAt),
})

export const operatorJson = (operator: Operator): Static<typeof OperatorSchema> => ({
  id: operator.publicId,
  email: operator.email,
  name: operator.name,
  from_provider: Boolean(operator.fromProvider),
  created_at: isoTime(operator.createdAt),
})

export const adminTokenJson = (token: AdminToken): Static<typeof AdminTokenSchema> => ({
  id: token.publicId,
  name: token.name,
  created_at: isoTime(token.createdAt),
  expires_at: isoTimeOrNull(token.expiresAt),
  revoked_at: isoTimeOrNull(token.revokedAt),
  last_used_at: isoTimeOrNull(token.lastUsedAt),
})

export const keyJson = (key: ApiKey): Static<typeof KeySchema> => ({
  id: key.publicId,
  name: key.name,
  scopes: [...key.scopes],
  member_id: key.memberPublicId,
  created_at: isoTime(key.createdAt),
  expires_at: isoTimeOrNull(key.expiresAt),
  revoked_at: isoTimeOrNull(key.revokedAt),
  last_used_at: isoTimeOrNull(key.lastUsedAt),
})
