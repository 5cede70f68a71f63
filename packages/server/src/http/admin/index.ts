import type { Route } from '../shared/context.ts'
import { createAdminToken } from './createAdminToken.ts'
import { createKey } from './createKey.ts'
import { createMember } from './createMember.ts'
import { createOperator } from './createOperator.ts'
import { createPortalLink } from './createPortalLink.ts'
import { createSession } from './createSession.ts'
import { createSignInLink } from './createSignInLink.ts'
import { createWorkspace } from './createWorkspace.ts'
import { deleteMember } from './deleteMember.ts'
import { deleteOperator } from './deleteOperator.ts'
import { deleteSessions } from './deleteSessions.ts'
import { deleteWorkspace } from './deleteWorkspace.ts'
import { getKey } from './getKey.ts'
import { getMember } from './getMember.ts'
import { getOverview } from './getOverview.ts'
import { getStats } from './getStats.ts'
import { getWorkspace } from './getWorkspace.ts'
import { listAdminTokens } from './listAdminTokens.ts'
import { listAudit } from './listAudit.ts'
import { listFailingWebhooks } from './listFailingWebhooks.ts'
import { listKeys } from './listKeys.ts'
import { listMasterKeys } from './listMasterKeys.ts'
import { listMembers } from './listMembers.ts'
import { listNodes } from './listNodes.ts'
import { listOperators } from './listOperators.ts'
import { listOutages } from './listOutages.ts'
import { listWarnings } from './listWarnings.ts'
import { listWorkspaceStats } from './listWorkspaceStats.ts'
import { listWorkspaces } from './listWorkspaces.ts'
import { operationalWebhook } from './operationalWebhook.ts'
import { resumeWorkspace } from './resumeWorkspace.ts'
import { revokeAdminToken } from './revokeAdminToken.ts'
import { revokeKey } from './revokeKey.ts'
import { checkService } from './services/checkService.ts'
import { createService } from './services/createService.ts'
import { deleteService } from './services/deleteService.ts'
import { getService } from './services/getService.ts'
import { listServices } from './services/listServices.ts'
import { updateService } from './services/updateService.ts'
import { getStatus } from './status/getStatus.ts'
import { suspendWorkspace } from './suspendWorkspace.ts'
import { updateMember } from './updateMember.ts'

/** The provisioning routes, for operators. */
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
  createPortalLink,
  createSignInLink,
  deleteSessions,
  createKey,
  listKeys,
  getKey,
  revokeKey,
  listServices,
  createService,
  checkService,
  getService,
  updateService,
  deleteService,
  createOperator,
  listOperators,
  deleteOperator,
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
  operationalWebhook,
  listAudit,
  getStatus,
  getOverview,
  getStats,
  listWorkspaceStats,
  listFailingWebhooks,
  listNodes,
  listMasterKeys,
  listWarnings,
  listOutages,
]
