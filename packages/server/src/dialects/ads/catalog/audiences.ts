import { closed, code, dateTime, nullable } from '../../payloadSchemas.ts'
import { count, eventType, money, name, uuid } from './shared.ts'
import { euros, ids, names } from './world.ts'

const segmentMembers = {
  name: name('Its name in the account.'),
  kind: code('How its members are found. New values can appear.', 'rule', 'upload', 'lookalike'),
}

const segment = { name: names.segment, kind: 'rule' }

export const audienceEvents = [
  eventType({
    type: 'conversion_event.created.v1',
    entityType: 'conversion_event',
    title: 'Conversion recorded',
    description: 'A conversion was recorded. It says what happened and what it was worth, never who did it.',
    group: 'Conversions',
    schema: closed('The new conversion.', {
      action: code('What the person did. New values can appear.', 'purchase', 'sign_up', 'lead'),
      source: code('How it was reported. New values can appear.', 'pixel', 'server', 'upload'),
      convertedAt: dateTime('When it happened, which can be well before it was reported.'),
      value: nullable(money('What it was worth; null when no value was reported.')),
      campaignId: nullable(uuid('The campaign it is credited to; null when to none.')),
      lineItemId: nullable(uuid('The line item it is credited to; null when to none.')),
    }),
    example: {
      action: 'purchase',
      source: 'server',
      convertedAt: '2026-09-21T17:42:08.315Z',
      value: euros(189),
      campaignId: ids.campaign,
      lineItemId: ids.lineItem,
    },
  }),
  eventType({
    type: 'segment.created.v1',
    entityType: 'segment',
    title: 'Segment created',
    description: 'An audience segment was defined. How many people it holds is known once it was evaluated.',
    group: 'Segments',
    schema: closed('The new segment.', segmentMembers),
    example: segment,
  }),
  eventType({
    type: 'segment.evaluated.v1',
    entityType: 'segment',
    title: 'Segment evaluated',
    description:
      'The members of a segment were counted anew. Use it to follow its size, or to export it while it is fresh.',
    group: 'Segments',
    schema: closed('The size of the segment.', {
      ...segmentMembers,
      memberCount: count('How many members it has now.'),
      previousMemberCount: nullable(count('How many it had the time before; null the first time.')),
    }),
    example: { ...segment, memberCount: 48_210, previousMemberCount: 46_975 },
  }),
]
