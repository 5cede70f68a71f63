import { type TSchema, Type } from 'typebox'
import type { ReplayInput } from '../../engine/engine.ts'
import { changing, idempotencyHeaders } from '../shared/changes.ts'
import { FROM_TO, readSpan, refusedSend } from '../shared/deliveries.ts'
import { eventTypeMistake } from '../shared/eventTypes.ts'
import { CREATE_PROBLEMS, invalidRequest, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { quotaProblem } from '../shared/quotas.ts'
import { closed, eventTypeName, reference, sinceQuery, untilQuery } from '../shared/schemas.ts'
import { webhookIdOf } from '../shared/webhooks.ts'
import { spellingOf } from './case.ts'
import { LAYOUTS, pathIn } from './layout.ts'
import { operation } from './operation.ts'
import { replayJson, replaySchema } from './replay.ts'
import { receiverWords, serviceTitle } from './words.ts'

const MAX_REPLAYED = 10_000

const replayLocation = {
  type: 'string',
  format: 'uri-reference',
  description: 'Where the progress of the replay can be read.',
}

interface ReplayBody {
  readonly webhook_id?: string
  readonly event_type?: string
  readonly from?: string
  readonly to?: string
  readonly dry_run?: boolean
}

export const createReplay = operation<{ body: ReplayBody }>({
  name: 'createReplay',
  method: 'POST',
  path: (layout) => `${LAYOUTS[layout].log}/replay`,
  isIn: ({ operations }) => operations.bulk !== null,
  access: ({ operations }) => ({ scopes: operations.bulk?.scopes ?? [], members: 'owners' }),
  schema(service) {
    const { profile } = service
    const { one, deliveries: of } = receiverWords(profile)
    const { member } = spellingOf(profile.case)
    const progress = pathIn(profile.paths, '{ws}', `${LAYOUTS[profile.paths].log}/replays/{id}`)
    return {
      operationId: `replay${serviceTitle(profile)}Deliveries`,
      tags: ['Deliveries'],
      summary: 'Replay many dead deliveries',
      description: `Makes matching dead deliveries pending again, ${one} by ${one}, the oldest first, at most 10,000 at a time. Each gets all attempts of a new delivery. Without filters, all dead deliveries match. The response is immediate: \`GET ${progress}\` shows the progress. Only deliveries that were dead at the time of the request are replayed, each once, so repeating the request is safe. Use \`${member('dry_run')}\` first to count the matches.`,
      headers: idempotencyHeaders,
      body: closed({
        webhook_id: Type.Optional(reference(`Only deliveries ${of} this ${one}.`)),
        event_type: Type.Optional(eventTypeName),
        from: sinceQuery,
        to: untilQuery,
        dry_run: Type.Optional(Type.Boolean({ description: 'Only count the matching deliveries.' })),
      }),
      response: {
        200: closed(
          {
            total: Type.Integer({
              description: 'Number of deliveries that would be replayed. A minimum if there can be more.',
            }),
            has_more: Type.Boolean({
              description: 'Whether more deliveries match than are counted or replayed at a time.',
            }),
          },
          { title: 'ReplayPreview', description: 'The response to a dry run.' },
        ),
        202: { ...replaySchema(service), headers: { Location: replayLocation } } as TSchema,
        ...problemResponses(...KEY_PROBLEMS, ...CREATE_PROBLEMS, 'role_missing', 'quota_exceeded'),
      },
    }
  },
  async run({ ctx, caller: { workspace }, request, reply, params, body }) {
    const { event_type: eventType = null, dry_run: dryRun = false } = body
    const mistake = eventType === null ? null : eventTypeMistake(ctx.dialect.catalog, eventType)
    if (mistake !== null) {
      throw invalidRequest([{ pointer: `/${ctx.member('event_type')}`, message: mistake }])
    }
    const span = readSpan(body, 'request body', FROM_TO)
    const webhookId = await webhookIdOf(ctx, workspace, body.webhook_id, {
      name: ctx.member('webhook_id'),
      where: 'request body',
    })
    const filter: ReplayInput = {
      trigger: 'replay',
      webhookId,
      webhookPublicId: body.webhook_id ?? null,
      statuses: ['dead'],
      eventTypes: eventType === null ? [] : [eventType],
      ...span,
    }
    if (dryRun) {
      const { count, more } = await ctx.engine.countReplayable(workspace, filter, MAX_REPLAYED)
      return { total: count, has_more: more }
    }
    const result = await changing(ctx, request, (by) =>
      ctx.engine.startReplay(workspace, filter, MAX_REPLAYED, by),
    )
    if (result.outcome === 'quota_exceeded') throw quotaProblem(result)
    if (result.outcome !== 'created') throw refusedSend(ctx, request, result, 'webhook')
    const { replay } = result
    const { paths } = ctx.dialect.profile
    const location = pathIn(paths, params.ws, `${LAYOUTS[paths].log}/replays/${replay.publicId}`)
    reply.code(202).header('location', location)
    return replayJson(replay)
  },
})
