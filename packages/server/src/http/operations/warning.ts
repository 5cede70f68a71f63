import { type Static, type TProperties, Type } from 'typebox'
import { SECOND_MS } from '../../core/duration.ts'
import { LEAST_AFTER_MS, MOST_AFTER_MS, MOST_DELIVERIES, MOST_FAILURES } from '../../core/earlyWarning.ts'
import type { EarlyPolicy } from '../../core/health.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { Webhook, WebhookFields } from '../../storage/rows.ts'
import type { Context, ServiceContext } from '../shared/context.ts'
import { closed, instant, nullable, time } from '../shared/schemas.ts'
import { isoTimeOrNull, parseTime, TIME_MESSAGE } from '../shared/time.ts'
import type { Mistakes } from '../shared/validation.ts'

// What of a webhook is about early warnings.

export const earlyRule = {
  failures: nullable(
    Type.Integer({
      minimum: 1,
      maximum: MOST_FAILURES,
      description: 'Consecutive failed attempts that trigger a warning; null: ignored.',
    }),
  ),
  share: nullable(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'Share of failed deliveries in the last hour that triggers a warning. Null: ignored.',
    }),
  ),
  deliveries: Type.Integer({
    minimum: 1,
    maximum: MOST_DELIVERIES,
    description: 'Minimum number of deliveries in the last hour for `share` to apply.',
  }),
  after_seconds: Type.Integer({
    minimum: LEAST_AFTER_MS / SECOND_MS,
    maximum: MOST_AFTER_MS / SECOND_MS,
    description: 'Earliest time of a warning, in seconds after the first failure.',
  }),
}

type Rule = Partial<Static<ReturnType<typeof closed<typeof earlyRule>>>>

const RULE_TEXT = 'When its owners are warned that it is failing'

export const warningMembers: TProperties = {
  warn: nullable(closed(earlyRule, { description: `${RULE_TEXT}; null: the default of the service.` })),
  snoozed_until: nullable(
    time('Until this time, its owners get no early warnings. Null: warnings are not muted.'),
  ),
  alerted_at: nullable(time('When its current early warning was raised. Null: there is none.')),
}

const AS_SERVICE: EarlyPolicy = { failures: 5, share: 0.5, deliveries: 10, afterMs: LEAST_AFTER_MS }
export const ruleOf = ({ failures, share, deliveries, afterMs }: EarlyPolicy): Required<Rule> => ({
  failures,
  share,
  deliveries,
  after_seconds: Math.round(afterMs / SECOND_MS),
})

/** The members that a caller may set. */
export function warningInput({ policy }: Profile): TProperties {
  const usual = policy.warn === null ? 'no warnings' : JSON.stringify(ruleOf(policy.warn))
  return {
    warn: nullable(
      Type.Partial(closed(earlyRule), {
        additionalProperties: false,
        description: `${RULE_TEXT}. Null: the default of the service, ${usual}. Missing members have the defaults of the service.`,
      }),
    ),
    snoozed_until: nullable(
      instant(
        'Mute its early warnings until this time. Null: end the mute. E-mails after half of the time until it is disabled, and when it is disabled, are still sent.',
        '2026-03-14T00:00:00Z',
      ),
    ),
  }
}

/** Reads what a body says of warnings; valid if `mistakes` stays empty. */
export function readWarning(
  { dialect, member }: Pick<ServiceContext, 'dialect' | 'member'> & Pick<Context, 'clock'>,
  sent: { readonly warn: unknown; readonly snoozed_until: unknown },
  mistakes: Mistakes,
): Partial<WebhookFields> {
  const { warn, snoozed_until: until } = sent
  return {
    ...(warn === undefined ? {} : { warn: readRule(warn as Rule | null, dialect.profile) }),
    ...(until === undefined
      ? {}
      : { snoozedUntil: readUntil(until, `/${member('snoozed_until')}`, mistakes) }),
  }
}

function readRule(sent: Rule | null, { policy }: Profile): EarlyPolicy | null {
  if (sent === null) return null
  const { after_seconds: seconds, ...others } = sent
  const usual = policy.warn ?? AS_SERVICE
  return { ...usual, ...others, ...(seconds === undefined ? {} : { afterMs: seconds * SECOND_MS }) }
}

function readUntil(sent: unknown, pointer: string, mistakes: Mistakes): number | null {
  // The schema reports a value that is no string.
  if (typeof sent !== 'string') return null
  const at = parseTime(sent)
  if (at === null) mistakes.addInstead(pointer, TIME_MESSAGE)
  return at
}

export function warningJson({ warn, snoozedUntil, alertedAt }: Webhook): object {
  return {
    warn: warn === null ? null : ruleOf(warn),
    snoozed_until: isoTimeOrNull(snoozedUntil),
    alerted_at: isoTimeOrNull(alertedAt),
  }
}
