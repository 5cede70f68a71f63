import { type TSchema, Type } from 'typebox'
import type { ReplayInput } from '../../engine/engine.ts'
import type { ReplayedStatus } from '../../storage/rows.ts'
import { changing, idempotencyHeaders } from '../shared/changes.ts'
import { readSpan, refusedSend } from '../shared/deliveries.ts'
import { eventTypeMistake } from '../shared/eventTypes.ts'
import { invalidRequest } from '../shared/problems.ts'
import { quotaProblem } from '../shared/quotas.ts'
import { rateLimitHeaders } from '../shared/rateLimit.ts'
import { closed, eventTypeName, instant, oneOf } from '../shared/schemas.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { spellingOf } from './case.ts'
import { pathIn } from './layout.ts'
import { operation } from './operation.ts'
import {
  missedOf,
  previewJson,
  previewSchema,
  recoverable,
  recoveryJson,
  recoveryPath,
  recoverySchema,
  sendsMissed,
} from './recovery.ts'
import { manualLimit, manualSendProblems } from './texts.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

const MAX_TYPES = 100

const location = {
  type: 'string',
  format: 'uri-reference',
  description: 'Where the progress of the recovery can be read.',
}

interface RecoverBody {
  readonly since: string
  readonly until?: string
  readonly status?: readonly ReplayedStatus[]
  readonly types?: readonly string[]
  readonly dry_run?: boolean
}

const SINCE_UNTIL = ['since', 'until'] as const

export const createRecovery = operation<{ body: RecoverBody }>({
  name: 'createRecovery',
  method: 'POST',
  path: () => '/webhooks/:id/recover',
  isIn: ({ operations }) => operations.recover !== null,
  access: ({ operations }) => ({ scopes: operations.recover?.scopes ?? [], members: 'owners' }),
  schema(service) {
    const { profile } = service
    const { one, a } = receiverWords(profile)
    const { member } = spellingOf(profile.case)
    const progress = pathIn(profile.paths, '{ws}', recoveryPath(profile.paths, '{id}').replace(':id', '{id}'))
    const attempts =
      profile.operations.recover?.attempts === 'one' ? 'one attempt' : 'all attempts of a new delivery'
    const states = recoverable(service)
    return {
      operationId: `recover${serviceTitle(profile)}Webhook`,
      tags: ['Deliveries'],
      summary: 'Recover failed and canceled deliveries',
      description: [
        `Sends matching deliveries of ${a} again, oldest first, each with ${attempts}, the same id and the same bytes. Tests are not included. The response is immediate: \`GET ${progress}\` shows the progress. Only deliveries that ended before the request are sent, each once per recovery. \`${member('dry_run')}\` only counts: it changes nothing and does not use the rate limit. The ${one} must be enabled; pausing or disabling it cancels the recovery.`,
        ...manualLimit(profile),
        ...(sendsMissed(profile)
          ? [`Events published while the ${one} was paused or disabled are sent as well, after the others.`]
          : []),
      ].join(' '),
      params: webhookParams(service),
      headers: idempotencyHeaders,
      body: closed({
        since: instant('Only deliveries of events at or after this time.', '2026-03-14T00:00:00Z'),
        until: Type.Optional(
          instant('Only deliveries of events before this time. Default: now.', '2026-03-15T00:00:00Z'),
        ),
        status: Type.Optional(
          Type.Array(oneOf(states, 'A state that a delivery ended in.'), {
            description: 'Only deliveries in these states. Default: all.',
            minItems: 1,
            maxItems: states.length,
            uniqueItems: true,
          }),
        ),
        types: Type.Optional(
          Type.Array(eventTypeName, {
            description: 'Only deliveries of these types. Default: all.',
            minItems: 1,
            maxItems: MAX_TYPES,
            uniqueItems: true,
          }),
        ),
        dry_run: Type.Optional(Type.Boolean({ description: 'Only count the matching deliveries.' })),
      }),
      response: {
        200: previewSchema(service),
        202: { ...recoverySchema(service), headers: { Location: location } } as TSchema,
        ...manualSendProblems(profile),
      },
    }
  },
  async run({ ctx, caller: { workspace }, request, reply, params, body }) {
    const { types = [], dry_run: dryRun = false } = body
    const mistakes = types.flatMap((type, index) => {
      const message = eventTypeMistake(ctx.dialect.catalog, type)
      return message === null ? [] : [{ pointer: `/types/${index}`, message }]
    })
    if (mistakes.length > 0) throw invalidRequest(mistakes)
    const { from, to } = readSpan(body, 'request body', SINCE_UNTIL)
    const webhook = await findWebhook(ctx, workspace, params.id!)
    const filter = {
      trigger: 'recover',
      webhookId: webhook.id,
      webhookPublicId: webhook.publicId,
      statuses: body.status ?? recoverable(ctx.dialect),
      eventTypes: types,
      from,
      to: to ?? ctx.clock.now() + 1,
    } satisfies ReplayInput
    const isSent = sendsMissed(ctx.dialect.profile)
    if (dryRun) {
      const [{ count }, missed] = await Promise.all([
        ctx.engine.countReplayable(workspace, filter, Number.MAX_SAFE_INTEGER),
        missedOf(ctx, webhook, filter),
      ])
      return previewJson(ctx, workspace, isSent ? count + missed.count : count, missed)
    }
    const missedCount = isSent ? (await missedOf(ctx, webhook, filter)).count : null
    const result = await changing(ctx, request, (by) =>
      ctx.engine.startReplay(workspace, { ...filter, missedCount }, Number.MAX_SAFE_INTEGER, by),
    )
    if (result.outcome === 'quota_exceeded') throw quotaProblem(result)
    if (result.outcome !== 'created') throw refusedSend(ctx, request, result, 'webhook')
    const { paths } = ctx.dialect.profile
    const path = recoveryPath(paths, result.replay.publicId).replace(':id', webhook.publicId)
    reply.code(202).headers(rateLimitHeaders(ctx.dialect, result.limit))
    reply.header('location', pathIn(paths, params.ws, path))
    return recoveryJson(ctx, workspace, result.replay, webhook)
  },
})
