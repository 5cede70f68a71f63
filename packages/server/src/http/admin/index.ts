import type { Route } from '../shared/context.ts'
import { createKey } from './createKey.ts'
import { createMember } from './createMember.ts'
import { createSession } from './createSession.ts'
import { createWorkspace } from './createWorkspace.ts'
import { deleteMember } from './deleteMember.ts'
import { deleteSessions } from './deleteSessions.ts'
import { deleteWorkspace } from './deleteWorkspace.ts'
import { getKey } from './getKey.ts'
import { getMember } from './getMember.ts'
import { getWorkspace } from './getWorkspace.ts'
import { listAudit } from './listAudit.ts'
import { listKeys } from './listKeys.ts'
import { listMembers } from './listMembers.ts'
import { listWorkspaces } from './listWorkspaces.ts'
import { resumeWorkspace } from './resumeWorkspace.ts'
import { revokeKey } from './revokeKey.ts'
import { suspendWorkspace } from './suspendWorkspace.ts'
import { updateMember } from './updateMember.ts'

/** The provisioning routes, behind the admin token. */
export const adminRoutes: readonly Route[] = [
  createWorkspace,
  listWorkspaces,
  getWorkspace,
  deleteWorkspace,
  suspendWorkspace,
  resumeWorkspace,
  createMember,
  listMembers,
  getMember,
  updateMember,
  deleteMember,
  createSession,
  deleteSessions,
  createKey,
  listKeys,
  getKey,
  revokeKey,
  listAudit,
]
