import { AuditEntrySchema, auditJson, readAudit, targetQuery } from '../shared/audit.ts'
import { pageOf, pageQuery } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { operation } from './operation.ts'
import { scopesText, serviceTitle } from './words.ts'

interface AuditQuery {
  readonly target?: string
  readonly limit?: number
  readonly cursor?: string
}

export const listAudit = operation<{ query: AuditQuery }>({
  name: 'listAudit',
  method: 'GET',
  path: () => '/audit-log',
  access: ({ access }) => ({ scopes: access.read, members: 'owners-and-keys' }),
  schema: ({ profile }) => ({
    operationId: `list${serviceTitle(profile)}AuditLog`,
    tags: ['Audit log'],
    summary: 'Read the audit log',
    description: `Changes to webhooks, keys and members, with the actor and the time. Newest first. Entries are kept for a year. For signed-in owners, and for keys with ${scopesText(profile.access.read)} that were created for an owner.`,
    querystring: closed({ target: targetQuery, ...pageQuery }),
    response: {
      200: pageOf(AuditEntrySchema, 'AuditLogPage'),
      ...problemResponses(...KEY_PROBLEMS, 'role_missing', 'invalid_request'),
    },
  }),
  async run({ ctx, caller: { workspace, visibility }, query }) {
    const scope = { list: 'audit' as const, ownerId: workspace.id }
    const of = { workspacePublicId: workspace.publicId, forOperators: false, visibility }
    const page = await readAudit(ctx, scope, query, of)
    return { data: page.rows.map(auditJson), next_cursor: page.nextCursor }
  },
})
