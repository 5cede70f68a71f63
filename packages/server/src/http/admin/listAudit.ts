import { Type } from 'typebox'
import { auditJson, OperatorsAuditEntrySchema, readAudit, targetQuery } from '../shared/audit.ts'
import { adminGuard } from '../shared/auth.ts'
import type { Context, Route } from '../shared/context.ts'
import { pageOf, pageQuery } from '../shared/pages.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, reference } from '../shared/schemas.ts'
import { SEES_ALL } from '../shared/visibility.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const schema = {
  operationId: 'listAuditLog',
  tags: ['Provisioning'],
  summary: 'Read the audit log',
  description:
    'Changes to workspaces, members, keys, webhooks and services, with the actor and the time. In all workspaces or in one, including deleted ones. Newest first. Entries are kept for a year.',
  querystring: closed({
    workspace: Type.Optional(reference('The id or slug of a workspace; the id also of a deleted one.')),
    target: targetQuery,
    ...pageQuery,
  }),
  response: {
    200: pageOf(OperatorsAuditEntrySchema, 'AuditLogPage'),
    ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request'),
  },
}

export const listAudit: Route = (app, ctx) => {
  app.get('/admin/v1/audit-log', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const scope = { list: 'audit' as const, ownerId: 0 }
    const workspacePublicId = await workspaceIdOf(ctx, request.query.workspace)
    const of = { workspacePublicId, forOperators: true, visibility: SEES_ALL }
    const page = await readAudit(ctx, scope, request.query, of)
    return { data: page.rows.map(auditJson), next_cursor: page.nextCursor }
  })
}

/** An unknown reference may be the id of a deleted workspace. */
async function workspaceIdOf(ctx: Context, ref: string | undefined): Promise<string | null> {
  if (ref === undefined) return null
  const workspace = await ctx.storage.accounts.getWorkspace({ ref, dialects: null })
  return workspace?.publicId ?? ref
}
