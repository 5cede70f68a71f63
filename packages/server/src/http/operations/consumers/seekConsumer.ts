import { changing, idempotencyHeaders } from '../../shared/changes.ts'
import { findConsumer } from '../../shared/consumers/reading.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, notFound, problemResponses } from '../../shared/problems.ts'
import { closed } from '../../shared/schemas.ts'
import { operation } from '../operation.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { auditOf } from './audit.ts'
import {
  consumerJson,
  consumerParams,
  consumerSchema,
  readStart,
  type StartInput,
  startMembers,
} from './consumer.ts'

export const seekConsumer = operation<{ body: StartInput }>({
  name: 'seekConsumer',
  method: 'POST',
  path: () => '/consumers/:name/seek',
  access: ({ access }) => ({ scopes: access.change, members: 'owners' }),
  schema: ({ profile }) => ({
    operationId: `seek${serviceTitle(profile)}Consumer`,
    tags: ['Consumers'],
    summary: 'Move a consumer',
    description: `Moves it back, to read events again, or forward, to skip events. Give one of \`start\`, \`after\` and \`since\`. Events that were read before can no longer be acknowledged, and streams end. Needs ${scopesText(profile.access.change)}, or a signed-in owner.`,
    params: consumerParams,
    headers: idempotencyHeaders,
    body: closed(startMembers),
    response: {
      200: consumerSchema,
      ...problemResponses(...KEY_PROBLEMS, ...CREATE_PROBLEMS, 'role_missing', 'quota_exceeded'),
    },
  }),
  async run({ ctx, caller: { workspace }, request, params, body }) {
    const { name, id } = await findConsumer(ctx, workspace, params.name!)
    const { result } = await changing(ctx, request, async (by) => {
      // Before the place is looked for, which may read thousands of events.
      ctx.engine.acceptChange(workspace, by)
      const start = await readStart(ctx, workspace, body, null)
      return ctx.storage.change({
        call: 'seekConsumer',
        params: { workspaceId: workspace.id, name, start, now: ctx.clock.now() },
        ...auditOf(ctx, workspace, 'consumer.moved', name, by, { ...body }),
      })
    })
    if (result === null) throw notFound('consumer')
    ctx.consumerReaders.changed(id)
    return consumerJson(result)
  },
})
