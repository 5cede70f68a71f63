import { closed, code, message, nullable } from '../../payloadSchemas.ts'
import { changedFields, eventType, name, target, uuid } from './shared.ts'
import { campaignTarget, ids } from './world.ts'

const group = 'Change requests'

const changeRequestMembers = {
  title: name('What is asked for, in a line.'),
  target: target('What it would change.'),
  changedFields: changedFields('The fields it would change; empty when it is about the entity as a whole.'),
  requestedBy: uuid('The user who asks.'),
}

const changeRequest = {
  title: 'Raise the budget for the first cold week',
  target: campaignTarget,
  changedFields: ['budget'],
  requestedBy: ids.mediaPlanner,
}

export const changeRequestEvents = [
  eventType({
    type: 'change_request.created.v1',
    entityType: 'change_request',
    title: 'Change requested',
    description:
      'Someone proposed a change that needs a second person to agree. Use it to notify those who may review it.',
    group,
    schema: closed('The change that waits for review.', changeRequestMembers),
    example: changeRequest,
  }),
  eventType({
    type: 'change_request.reviewed.v1',
    entityType: 'change_request',
    title: 'Change request reviewed',
    description: 'A proposed change was decided on. Use it to tell the person who asked.',
    group,
    schema: closed('The change and what was decided.', {
      ...changeRequestMembers,
      decision: code('What was decided. New values can appear.', 'approved', 'rejected'),
      reviewedBy: uuid('The user who decided.'),
      note: nullable(message('What the reviewer wrote along with it; null when nothing.')),
    }),
    example: {
      ...changeRequest,
      decision: 'approved',
      reviewedBy: ids.brandManager,
      note: 'Fine for one week. Back to the old budget after that.',
    },
  }),
]
