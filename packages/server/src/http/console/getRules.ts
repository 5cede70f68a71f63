import { type Static, Type } from 'typebox'
import type { Dialect } from '../../core/dialect.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import { earlyRule, ruleOf } from '../operations/warning.ts'
import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, nullable } from '../shared/schemas.ts'
import { workspaceParams } from './params.ts'

const RulesSchema = closed(
  {
    attempts: Type.Integer({ description: 'Maximum number of attempts of a delivery.' }),
    max_webhooks: Type.Integer({ description: 'Maximum number of webhooks of the workspace.' }),
    manual_sends_per_minute: nullable(
      Type.Integer({
        description: 'Maximum tests and redeliveries of the workspace in 60 seconds. Null: no limit.',
      }),
    ),
    warned_after_s: nullable(
      Type.Number({
        description: 'Seconds of failing after which owners of a webhook are warned; null: never.',
      }),
    ),
    switched_off_after_s: nullable(
      Type.Number({
        description: 'Seconds of failing after which a webhook is disabled; null: never.',
      }),
    ),
    early_warning: nullable(
      closed(earlyRule, {
        description: 'When owners are warned minutes after the first failure; null: never.',
      }),
    ),
    secret_overlap_s: Type.Number({
      description: 'Seconds for which a replaced secret still signs; 0: it stops immediately.',
    }),
    retention_s: Type.Number({ description: 'Seconds for which events and deliveries are kept.' }),
  },
  { title: 'Rules' },
)

const schema = {
  operationId: 'getRules',
  tags: ['Overviews'],
  summary: 'Read the rules',
  description:
    'The limits and times that apply in this workspace. They can differ from the documentation if the operator has changed settings.',
  params: workspaceParams,
  response: { 200: RulesSchema, ...problemResponses(...ANY_MEMBER_PROBLEMS) },
}

export const getRules: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/rules',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) =>
      rulesJson(dialectOf(ctx.dialects, callerOf(request).workspace.dialect), ctx.retentionMs),
  )
}

function rulesJson({ policy, secrets, limits }: Dialect, retentionMs: number): Static<typeof RulesSchema> {
  const { disableAfterMs, warnAfterMs, early } = policy.health
  return {
    attempts: policy.waitsMs.length + 1,
    max_webhooks: limits.webhooksPerWorkspace,
    manual_sends_per_minute: limits.manualSendsPerMinute,
    warned_after_s: secondsOrNull(warnAfterMs),
    switched_off_after_s: secondsOrNull(disableAfterMs),
    early_warning: early === null ? null : ruleOf(early),
    secret_overlap_s: secrets.overlapMs / SECOND_MS,
    retention_s: retentionMs / SECOND_MS,
  }
}

const secondsOrNull = (ms: number | null) => (ms === null ? null : ms / SECOND_MS)
