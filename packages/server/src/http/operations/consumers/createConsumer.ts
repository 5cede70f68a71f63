import { Type } from 'typebox'
import { QUOTAS } from '../../../core/quotas.ts'
import { changing, idempotencyHeaders } from '../../shared/changes.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, notFound, Problem, problemResponses } from '../../shared/problems.ts'
import { closed } from '../../shared/schemas.ts'
import { pathIn } from '../layout.ts'
import { operation } from '../operation.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { auditOf } from './audit.ts'
import {
  consumerJson,
  consumerNameSchema,
  consumerSchema,
  eventTypesSchema,
  readEventTypes,
  readStart,
  type StartInput,
  startMembers,
} from './consumer.ts'

interface ConsumerBody extends StartInput {
  readonly name: string
  readonly event_types?: readonly string[]
}

export const createConsumer = operation<{ body: ConsumerBody }>({
  name: 'createConsumer',
  method: 'POST',
  path: () => '/consumers',
  access: ({ access }) => ({ scopes: access.change, members: 'owners' }),
  schema({ profile }) {
    return {
      operationId: `create${serviceTitle(profile)}Consumer`,
      tags: ['Consumers'],
      summary: 'Create a consumer',
      description: `A consumer is a named position in the feed of events, for receivers that the service cannot reach. They poll or stream events, and acknowledge the events that they have processed. Unacknowledged events are returned again, so each event is returned at least once, in order. It starts with events that are accepted from now on, unless \`start\`, \`after\` or \`since\` says otherwise. Needs ${scopesText(profile.access.change)}, or a signed-in owner.`,
      headers: idempotencyHeaders,
      body: closed({
        name: consumerNameSchema,
        event_types: Type.Optional(eventTypesSchema),
        ...startMembers,
      }),
      response: {
        201: consumerSchema,
        ...problemResponses(
          ...KEY_PROBLEMS,
          ...CREATE_PROBLEMS,
          'role_missing',
          'consumer_exists',
          'consumer_limit_reached',
          'quota_exceeded',
        ),
      },
    }
  },
  async run({ ctx, caller: { workspace }, request, reply, params, body }) {
    const { name } = body
    const eventTypes = readEventTypes(ctx, body.event_types)
    const { result } = await changing(ctx, request, async (by) => {
      // Before the place is looked for, which may read thousands of events.
      ctx.engine.acceptChange(workspace, by)
      const start = await readStart(ctx, workspace, body, 'now')
      return ctx.storage.change({
        call: 'createConsumer',
        params: {
          workspaceId: workspace.id,
          name,
          eventTypes,
          start,
          max: ctx.quotas.consumers,
          now: ctx.clock.now(),
        },
        ...auditOf(ctx, workspace, 'consumer.created', name, by, {
          ...(eventTypes === null ? {} : { event_types: eventTypes }),
        }),
      })
    })
    if (result.outcome === 'workspace_not_found') throw notFound('workspace')
    if (result.outcome === 'exists') {
      const detail = `The workspace already has a consumer named ${name}. Choose another name, or move the existing consumer with a seek.`
      throw new Problem('consumer_exists', detail)
    }
    if (result.outcome === 'limit_reached') {
      const max = ctx.quotas.consumers
      throw new Problem(
        'consumer_limit_reached',
        `The workspace has the maximum of ${max} consumers. Delete one, or ask the operator to raise ${QUOTAS.consumers.variable}.`,
      )
    }
    reply.code(201).header('location', pathIn(ctx.dialect.profile.paths, params.ws, `/consumers/${name}`))
    return consumerJson(result.consumer)
  },
})
