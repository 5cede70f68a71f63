import { Type } from 'typebox'
import { closed, code, date, dateTime, nullable, reason } from '../../payloadSchemas.ts'
import { eventType, generationId, generationRef, scheduleId, title, versionId } from './shared.ts'
import { tyrePressure, wheelTruing } from './world.ts'

const group = 'Autopilot'

export const autopilotEvents = [
  eventType({
    type: 'autopilot.needs_review',
    title: 'Autopilot needs a person',
    description:
      'Autopilot could not approve a calendar draft: blockers remain, or the owner it approves for is gone. The draft waits for a person.',
    group,
    schema: closed('A calendar draft that autopilot left to a person.', {
      generation: generationRef,
      version_id: versionId('The version that waits.'),
      subject_id: scheduleId('The schedule it was written for.'),
      scheduled_at: dateTime('When it is due to go out.'),
      reason: code('Why autopilot stopped. New values can appear.', 'blockers_remain', 'approver_gone'),
      blockers: Type.Array(reason('One thing to settle.', 'claim_unverified', 'link_broken', 'off_brand'), {
        description: 'What stands against approval; empty when only the approving owner is missing.',
        maxItems: 50,
      }),
    }),
    example: {
      generation: wheelTruing.generation,
      version_id: wheelTruing.version,
      subject_id: wheelTruing.schedule,
      scheduled_at: '2026-02-12T08:00:00.000Z',
      reason: 'blockers_remain',
      blockers: [
        {
          code: 'claim_unverified',
          message: 'No source was found for the spoke tension given for steel rims.',
        },
      ],
    },
  }),
  eventType({
    type: 'autopilot.slot_missed',
    title: 'Calendar date missed',
    description:
      'A calendar date passed with autopilot on and nothing published. Every post that was meant for it is listed with why it did not go out.',
    group,
    schema: closed('A date without a post.', {
      slot_date: date("The date, as the workspace's calendar shows it."),
      posts: Type.Array(
        closed('One post that did not go out.', {
          subject_id: scheduleId('Its schedule.'),
          generation_id: nullable(generationId('Its draft; null when none was started.')),
          title: title('Its title, or the planned one.'),
          reason: reason('Why it did not go out.', 'not_approved', 'draft_failed', 'publishing_failed'),
        }),
        { description: 'The posts that were meant for the date.', minItems: 1, maxItems: 50 },
      ),
    }),
    example: {
      slot_date: '2026-02-12',
      posts: [
        {
          subject_id: wheelTruing.schedule,
          generation_id: wheelTruing.generation.id,
          title: wheelTruing.generation.title,
          reason: { code: 'not_approved', message: 'One blocker was still open when the date passed.' },
        },
        {
          subject_id: tyrePressure.schedule,
          generation_id: tyrePressure.generationId,
          title: tyrePressure.title,
          reason: { code: 'draft_failed', message: 'The draft ran out of its monthly quota on 11 February.' },
        },
      ],
    },
  }),
]
