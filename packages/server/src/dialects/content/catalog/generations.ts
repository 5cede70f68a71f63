import { Type } from 'typebox'
import { closed, code, message, reason } from '../../payloadSchemas.ts'
import { eventType, generationRef, id, userId, versionId } from './shared.ts'
import { chainCare, people, wheelTruing } from './world.ts'

const group = 'Generations'

export const generationEvents = [
  eventType({
    type: 'generation.ready_for_review',
    title: 'Draft ready for review',
    description:
      'A draft, or a revision of one, is finished and waits for somebody to read it. Use it to open a task or ping a channel.',
    group,
    schema: closed('A version that waits for review.', {
      generation: generationRef,
      version_id: versionId('The version to review.'),
      version_number: Type.Integer({
        description:
          'Counts the versions of this generation: 1 is the first draft, anything higher a revision.',
        minimum: 1,
        maximum: 1_000_000,
      }),
    }),
    example: {
      generation: chainCare.generation,
      version_id: chainCare.firstVersion,
      version_number: 1,
    },
  }),
  eventType({
    type: 'generation.review_requested',
    title: 'Review requested',
    description:
      'Someone asked a teammate to review a draft. Use it to notify the reviewer where your team already talks.',
    group,
    schema: closed('A request for one review by one person.', {
      generation: generationRef,
      version_id: versionId('The version to review.'),
      requested_by: userId('The person who asks.'),
      reviewer_id: userId('The person who is asked.'),
    }),
    example: {
      generation: chainCare.generation,
      version_id: chainCare.firstVersion,
      requested_by: people.editor,
      reviewer_id: people.owner,
    },
  }),
  eventType({
    type: 'generation.needs_input',
    title: 'Draft needs an answer',
    description:
      'A draft stopped to ask a question and goes no further until somebody answers it in the app or through the API.',
    group,
    schema: closed('A question that holds up a draft.', {
      generation: generationRef,
      question: closed('What the draft asks.', {
        id: id('The question; an answer through the API names it.'),
        text: message('The question in short. The app shows it with its context.'),
      }),
    }),
    example: {
      generation: wheelTruing.generation,
      question: {
        id: 'qst_01kgpqfzspoke',
        text: 'Should the guide assume a truing stand, or a bike turned upside down?',
      },
    },
  }),
  eventType({
    type: 'generation.failed',
    title: 'Draft failed',
    description:
      'A draft failed. The reason says what went wrong, and whether starting it again as it is can help.',
    group,
    schema: closed('A draft that ended without a version to review.', {
      generation: generationRef,
      stage: code('How far the draft had come. New values can appear.', 'research', 'outline', 'writing'),
      reason: reason('Why it failed.', 'source_unreachable', 'quota_exceeded', 'internal_error'),
      retryable: Type.Boolean({
        description: 'True when starting the same draft again can succeed without changing anything.',
      }),
    }),
    example: {
      generation: wheelTruing.generation,
      stage: 'research',
      reason: {
        code: 'source_unreachable',
        message: 'The supplier page that the brief builds on did not answer for ten minutes.',
      },
      retryable: true,
    },
  }),
]
