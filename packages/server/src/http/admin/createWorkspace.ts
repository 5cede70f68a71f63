import { Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import { adminGuard } from '../shared/auth.ts'
import { changeInStore, idempotencyHeaders } from '../shared/changes.ts'
import type { Context, Route } from '../shared/context.ts'
import { knowsService } from '../shared/knownService.ts'
import { CREATE_PROBLEMS, invalidRequest, Problem, problemResponses } from '../shared/problems.ts'
import { closed, label } from '../shared/schemas.ts'
import { looksLikeId } from './find.ts'
import { workspaceJson } from './present.ts'
import { ADMIN_PROBLEMS, WorkspaceSchema } from './schemas.ts'

const schema = {
  operationId: 'createWorkspace',
  tags: ['Provisioning'],
  summary: 'Create a workspace',
  description:
    'A workspace belongs to one service and contains the webhooks, keys and members of one customer.',
  headers: idempotencyHeaders,
  body: closed({
    dialect: Type.String({
      pattern: FORMS.profileName.pattern,
      description:
        'The service whose events it gets: `content`, `ads`, `standard`, or one that an operator added.',
      examples: ['standard'],
    }),
    slug: Type.String({
      pattern: FORMS.slug.pattern,
      description: 'Identifies the workspace in paths: lower-case letters, digits and hyphens; never a UUID.',
    }),
    name: label('Display name; shown in the events of some services.', 200),
  }),
  response: {
    201: WorkspaceSchema,
    ...problemResponses(...ADMIN_PROBLEMS, ...CREATE_PROBLEMS, 'slug_taken'),
  },
}

export const createWorkspace: Route = (app, ctx) => {
  app.post('/admin/v1/workspaces', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const { dialect, slug, name } = request.body
    if (looksLikeId(slug))
      throw invalidRequest([{ pointer: '/slug', message: 'must not be a UUID; use a name such as acme' }])
    if (!(await knowsService(ctx, dialect))) throw unknownService(ctx, dialect)
    const publicId = ctx.engine.ids.create(dialect, 'workspace')
    const isStored = ctx.services.stored.has(dialect)
    const now = ctx.clock.now()
    const { result: workspace } = await changeInStore(
      ctx,
      request,
      { call: 'createWorkspace', params: { publicId, dialect, isStored, slug, name, now } },
      {
        workspacePublicId: publicId,
        action: 'workspace.created',
        target: { type: 'workspace', id: publicId },
        details: { dialect, slug },
      },
    )
    if (workspace === null) throw await refusal(ctx, dialect, slug)
    reply.code(201).header('location', `/admin/v1/workspaces/${workspace.publicId}`)
    return workspaceJson(workspace)
  })
}

function unknownService({ dialects }: Context, dialect: string): Problem {
  const names = [...dialects.keys()].sort()
  const message = `must name a service (got ${dialect}); use one of ${names.join(', ')}, or add the service first`
  return invalidRequest([{ pointer: '/dialect', message }])
}

/** The service may have been removed meanwhile. */
async function refusal(ctx: Context, dialect: string, slug: string): Promise<Problem> {
  await ctx.services.refresh()
  if (!ctx.dialects.has(dialect)) return unknownService(ctx, dialect)
  return new Problem('slug_taken', `There is already a workspace "${slug}". Choose another slug.`)
}
