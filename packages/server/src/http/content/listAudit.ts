import { AuditEntrySchema, auditJson, readAudit, targetQuery } from '../shared/audit.ts'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { pageOf, pageQuery } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { workspaceParams } from './common.ts'

const schema = {
  operationId: 'listContentAuditLog',
  tags: ['Audit log'],
  summary: 'Read the audit log',
  description:
    'Who changed which webhook, key or member, and when; newest first, kept for a year. For owners who are signed in, and keys with the scope `webhooks` that were made for an owner.',
  params: workspaceParams,
  querystring: closed({ target: targetQuery, ...pageQuery }),
  response: {
    200: pageOf(AuditEntrySchema, 'AuditLogPage'),
    ...problemResponses(...KEY_PROBLEMS, 'role_missing', 'invalid_request'),
  },
}

export const listAudit: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/audit-log',
    {
      schema,
      onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'owners-and-keys' }),
    },
    async (request) => {
      const { workspace, visibility } = callerOf(request)
      const scope = { list: 'audit' as const, ownerId: workspace.id }
      const of = { workspacePublicId: workspace.publicId, forOperators: false, visibility }
      const page = await readAudit(ctx, scope, request.query, of)
      return { data: page.rows.map(auditJson), next_cursor: page.nextCursor }
    },
  )
}
