import { Type } from 'typebox'
import { closed, code, dateTime, reason } from '../../payloadSchemas.ts'
import { eventType, money, name, target } from './shared.ts'
import { campaignTarget, euros, names } from './world.ts'

const campaignName = name('The name of the campaign, for messages to people.')

export const spendEvents = [
  eventType({
    type: 'budget.threshold.v1',
    entityType: 'campaign',
    title: 'Budget threshold reached',
    description:
      'A campaign spent a share of its budget that somebody wants to hear about. Use it to top the budget up in time, or to let it end on purpose.',
    group: 'Budget and spend',
    schema: closed('The threshold and where spending stands.', {
      campaignName,
      thresholdPercent: Type.Integer({
        description: 'The share of the budget that was reached, in percent; above 100 it is overspent.',
        minimum: 1,
        maximum: 1_000,
      }),
      period: code('The period that the budget is for. New values can appear.', 'lifetime', 'month', 'day'),
      budget: money('The budget of that period.'),
      spent: money('What was spent of it when the threshold was seen.'),
    }),
    example: {
      campaignName: names.campaign,
      thresholdPercent: 80,
      period: 'lifetime',
      budget: euros(48_000),
      spent: euros(38_412),
    },
  }),
  eventType({
    type: 'spend.anomaly.v1',
    entityType: 'campaign',
    title: 'Unusual spend',
    description:
      'A campaign spent far more or far less than expected. Use it to look into tracking, bids or delivery while it still matters.',
    group: 'Budget and spend',
    schema: closed('What was expected and what was seen.', {
      campaignName,
      direction: code('Which way it is off. New values can appear.', 'above', 'below'),
      windowStart: dateTime('Start of the time that was looked at.'),
      windowEnd: dateTime('End of the time that was looked at.'),
      expected: money('What spending was expected in that time.'),
      actual: money('What was spent in that time.'),
    }),
    example: {
      campaignName: names.campaign,
      direction: 'above',
      windowStart: '2026-09-25T10:00:00.000Z',
      windowEnd: '2026-09-25T12:00:00.000Z',
      expected: euros(64),
      actual: euros(311),
    },
  }),
  eventType({
    type: 'decision.applied.v1',
    entityType: 'decision',
    title: 'Decision applied',
    description:
      'A decision about running advertising took effect, for example that a budget moves or a line item pauses.',
    group: 'Decisions',
    schema: closed('What was decided, on what and why.', {
      kind: code('What was done. New values can appear.', 'budget_shift', 'bid_change', 'pause'),
      target: target('What it was done to.'),
      decidedBy: code('Who or what decided. New values can appear.', 'person', 'rule', 'optimizer'),
      reason: reason('Why.', 'overspending', 'low_return', 'goal_at_risk'),
    }),
    example: {
      kind: 'budget_shift',
      target: campaignTarget,
      decidedBy: 'optimizer',
      reason: { code: 'low_return', message: 'Display returned half as much as video for two weeks.' },
    },
  }),
]
