import { Type } from 'typebox'
import { closed, code, date, nullable } from '../../payloadSchemas.ts'
import { eventType, id, title, userId } from './shared.ts'
import { people, springPlan } from './world.ts'

const group = 'Strategy'

const planRef = closed('The plan that the event is about.', {
  id: id('The plan, as the API knows it.'),
  title: title('Its title at the time of the event.'),
  strategy_id: id('The strategy that it belongs to.'),
})

const count = (description: string, minimum: number) =>
  Type.Integer({ description, minimum, maximum: 1_000_000 })

export const strategyEvents = [
  eventType({
    type: 'plan.ready',
    title: 'Plan ready to save',
    description:
      'The strategist finished a plan and says it is ready to save. Use it to tell whoever decides on it.',
    group,
    schema: closed('A finished plan that is not saved yet.', {
      plan: planRef,
      item_count: count('How many pieces of content it proposes.', 0),
    }),
    example: { plan: springPlan, item_count: 12 },
  }),
  eventType({
    type: 'plan.saved',
    title: 'Plan saved',
    description:
      "A strategy's plan was saved as documents of the workspace. Use the ids to read or copy those documents.",
    group,
    schema: closed('A plan and the documents it became.', {
      plan: planRef,
      saved_by: userId('The person who saved it.'),
      documents: Type.Array(
        closed('One document of the workspace.', {
          id: id('The document, as the API knows it.'),
          title: title('Its title.'),
        }),
        { description: 'The documents that were written, in the order of the plan.', maxItems: 100 },
      ),
    }),
    example: {
      plan: springPlan,
      saved_by: people.owner,
      documents: [
        { id: 'doc_01kfdab1spring', title: 'Spring: themes and audience' },
        { id: 'doc_01kfdab2spring', title: 'Spring: calendar, March to May' },
      ],
    },
  }),
  eventType({
    type: 'suggestions.ready',
    title: 'Suggestions ready',
    description:
      "New strategy suggestions from the site's search data wait for an owner or editor: once a week, or at once after a large drop in clicks.",
    group,
    schema: closed('A batch of suggestions that wait for approval.', {
      reason: code('Why they come now. New values can appear.', 'weekly_digest', 'traffic_drop'),
      count: count('How many suggestions wait.', 1),
      period: closed('The days of search data they were drawn from, both included.', {
        from: date('First day.'),
        to: date('Last day.'),
      }),
      clicks_change_percent: nullable(
        Type.Integer({
          description:
            'Change in clicks against the period before, in percent; null when there is none to compare.',
          minimum: -100,
          maximum: 1_000_000,
        }),
      ),
    }),
    example: {
      reason: 'traffic_drop',
      count: 3,
      period: { from: '2026-02-02', to: '2026-02-08' },
      clicks_change_percent: -41,
    },
  }),
]
