import { closed, code, date, nullable } from '../../payloadSchemas.ts'
import { eventType, money, name, updated, uuid } from './shared.ts'
import { euros, ids, names } from './world.ts'

const campaignMembers = {
  name: name('Its name in the account.'),
  status: code('Its status after the event. New values can appear.', 'active', 'paused'),
  objective: code('What it is optimized for. New values can appear.', 'awareness', 'traffic', 'sales'),
  budget: nullable(money('What it may spend in all; null when only its line items have budgets.')),
  startDate: date('First day of delivery.'),
  endDate: nullable(date('Last day of delivery; null when it runs until stopped.')),
}

const campaign = {
  name: names.campaign,
  status: 'paused',
  objective: 'sales',
  budget: euros(40_000),
  startDate: '2026-09-14',
  endDate: '2026-11-15',
}

const lineItemMembers = {
  campaignId: uuid('The campaign it belongs to.'),
  name: name('Its name in the account.'),
  status: code('Its status after the event. New values can appear.', 'active', 'paused'),
  channel: code('Where it runs. New values can appear.', 'display', 'video', 'audio'),
  budget: nullable(money('What it may spend in all; null when it draws on the budget of its campaign.')),
  startDate: date('First day of delivery.'),
  endDate: nullable(date('Last day of delivery; null when it runs until stopped.')),
}

const lineItem = {
  campaignId: ids.campaign,
  name: 'Connected TV, coastal cities',
  status: 'active',
  channel: 'video',
  budget: euros(15_000),
  startDate: '2026-09-14',
  endDate: null,
}

const campaignStatus = (description: string) =>
  code(`${description} \`active\` and \`paused\` are among the values.`, 'active', 'paused')

export const campaignEvents = [
  eventType({
    type: 'campaign.created.v1',
    entityType: 'campaign',
    title: 'Campaign created',
    description: 'A campaign was set up. Use it to mirror campaigns in a system of your own.',
    group: 'Campaigns',
    schema: closed('The new campaign.', campaignMembers),
    example: campaign,
  }),
  eventType({
    type: 'campaign.updated.v1',
    entityType: 'campaign',
    title: 'Campaign updated',
    description:
      'Somebody or something changed a campaign. It carries the state after the change and names what changed.',
    group: 'Campaigns',
    schema: closed('The campaign after the change.', { ...campaignMembers, ...updated }),
    example: { ...campaign, budget: euros(48_000), changedFields: ['budget'] },
  }),
  eventType({
    type: 'campaign.status_changed.v1',
    entityType: 'campaign',
    title: 'Campaign status changed',
    description:
      'A campaign went from one status to another, for example when it was paused. Use it to react to starts and stops alone.',
    group: 'Campaigns',
    schema: closed('The status before and after.', {
      from: campaignStatus('The status it left.'),
      to: campaignStatus('The status it has now.'),
    }),
    example: { from: 'paused', to: 'active' },
  }),
]

export const lineItemEvents = [
  eventType({
    type: 'line_item.created.v1',
    entityType: 'line_item',
    title: 'Line item created',
    description: 'A campaign got a new line item.',
    group: 'Line items',
    schema: closed('The new line item.', lineItemMembers),
    example: lineItem,
  }),
  eventType({
    type: 'line_item.updated.v1',
    entityType: 'line_item',
    title: 'Line item updated',
    description: 'A line item was changed. It carries the state after the change and names what changed.',
    group: 'Line items',
    schema: closed('The line item after the change.', { ...lineItemMembers, ...updated }),
    example: { ...lineItem, endDate: '2026-10-31', changedFields: ['endDate'] },
  }),
]
