import { Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import { adminGuard } from '../shared/auth.ts'
import { changeInStore, idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { CREATE_PROBLEMS, invalidRequest, Problem, problemResponses } from '../shared/problems.ts'
import { closed, label, oneOf } from '../shared/schemas.ts'
import { looksLikeId } from './find.ts'
import { workspaceJson } from './present.ts'
import { ADMIN_PROBLEMS, WorkspaceSchema } from './schemas.ts'

const schema = {
  operationId: 'createWorkspace',
  tags: ['Provisioning'],
  summary: 'Create a workspace',
  description:
    'A workspace belongs to one of the two services and holds everything that one of its customers has here.',
  headers: idempotencyHeaders,
  body: closed({
    dialect: oneOf(['content', 'ads'], 'The service whose events it gets.'),
    slug: Type.String({
      pattern: FORMS.slug.pattern,
      description: 'Names the workspace in paths: lower-case letters, digits and hyphens; never a UUID.',
    }),
    name: label('What people call it; shown in the events of the content service.', 200),
  }),
  response: {
    201: WorkspaceSchema,
    ...problemResponses(...ADMIN_PROBLEMS, ...CREATE_PROBLEMS, 'slug_taken'),
  },
}

export const createWorkspace: Route = (app, ctx) => {
  app.post('/admin/v1/workspaces', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const { dialect, slug, name } = request.body
    if (looksLikeId(slug)) throw invalidRequest([{ pointer: '/slug', message: 'must not be a UUID' }])
    const publicId = ctx.engine.ids.create(dialect, 'workspace')
    const now = ctx.clock.now()
    const { result: workspace } = await changeInStore(
      ctx,
      request,
      { verb: 'createWorkspace', params: { publicId, dialect, slug, name, now } },
      {
        workspacePublicId: publicId,
        action: 'workspace.created',
        target: { type: 'workspace', id: publicId },
        details: { dialect, slug },
      },
    )
    if (workspace === null) throw new Problem('slug_taken', `There is another workspace "${slug}".`)
    reply.code(201).header('location', `/admin/v1/workspaces/${workspace.publicId}`)
    return workspaceJson(workspace)
  })
}
