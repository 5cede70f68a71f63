import { changing } from '../../shared/changes.ts'
import { findConsumer } from '../../shared/consumers/reading.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, notFound, problemResponses } from '../../shared/problems.ts'
import { noContent } from '../../shared/schemas.ts'
import { operation } from '../operation.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { auditOf } from './audit.ts'
import { consumerParams } from './consumer.ts'

export const deleteConsumer = operation({
  name: 'deleteConsumer',
  method: 'DELETE',
  path: () => '/consumers/:name',
  access: ({ access }) => ({ scopes: access.change, members: 'owners' }),
  schema: ({ profile }) => ({
    operationId: `delete${serviceTitle(profile)}Consumer`,
    tags: ['Consumers'],
    summary: 'Delete a consumer',
    description: `Deletes its position in the feed and ends its streams. The events are kept. Needs ${scopesText(profile.access.change)}, or a signed-in owner.`,
    params: consumerParams,
    response: {
      204: noContent,
      ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'role_missing', 'quota_exceeded'),
    },
  }),
  async run({ ctx, caller: { workspace }, request, reply, params }) {
    const { name, id } = await findConsumer(ctx, workspace, params.name!)
    const { result } = await changing(ctx, request, (by) => {
      ctx.engine.acceptChange(workspace, by)
      return ctx.storage.change({
        call: 'deleteConsumer',
        params: { workspaceId: workspace.id, name },
        ...auditOf(ctx, workspace, 'consumer.deleted', name, by),
      })
    })
    if (!result) throw notFound('consumer')
    ctx.consumerReaders.changed(id)
    reply.code(204)
    return null
  },
})
