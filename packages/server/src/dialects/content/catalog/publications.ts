import { Type } from 'typebox'
import { closed, code, nullable, reason, url } from '../../payloadSchemas.ts'
import {
  destinationId,
  eventType,
  generationRef,
  publicationId,
  scheduleId,
  userId,
  versionId,
} from './shared.ts'
import { chainCare, people } from './world.ts'

const group = 'Publications'

const publicationMembers = {
  id: publicationId('The publication, as the API knows it.'),
  slug: Type.String({ description: 'Its name within the address at the destination.', maxLength: 300 }),
  destination_id: destinationId('Where it is published: a site, a channel, an account.'),
}

const livePublication = (urlDescription: string) =>
  closed('One piece of content at one destination.', { ...publicationMembers, url: url(urlDescription) })

export const publicationEvents = [
  eventType({
    type: 'publication.published',
    title: 'Publication live',
    description:
      'An approved version reached its destination and can be read there. Use it to announce the post or to refresh a cache.',
    group,
    schema: closed('A version that is live.', {
      publication: livePublication('Where it can be read, percent-encoded.'),
      version_id: versionId('The version that is live now.'),
      generation: generationRef,
    }),
    example: {
      publication: chainCare.publication,
      version_id: chainCare.secondVersion,
      generation: chainCare.generation,
    },
  }),
  eventType({
    type: 'publication.failed',
    title: 'Publishing failed',
    description:
      'Publishing a version failed. The reason says what to mend, and whether trying again as it is can help.',
    group,
    schema: closed('A version that did not go live.', {
      publication: closed('One piece of content at one destination.', {
        ...publicationMembers,
        url: nullable(
          url('The page of an earlier version, percent-encoded; null when nothing was published before.'),
        ),
      }),
      version_id: versionId('The version that was to go live.'),
      generation: generationRef,
      reason: reason('Why it failed.', 'destination_refused', 'destination_unreachable', 'not_authorized'),
      retryable: Type.Boolean({
        description: 'True when publishing the same version again can succeed without changing anything.',
      }),
    }),
    example: {
      publication: { ...chainCare.publication, url: null },
      version_id: chainCare.secondVersion,
      generation: chainCare.generation,
      reason: {
        code: 'not_authorized',
        message: 'The blog no longer accepts the stored login. Connect the destination again.',
      },
      retryable: false,
    },
  }),
  eventType({
    type: 'publication.withdrawn',
    title: 'Publication withdrawn',
    description:
      'A publication is no longer live: an owner took it down, or its page left the destination. Use it to remove links to it.',
    group,
    schema: closed('A publication that is gone.', {
      publication: livePublication('Where it could be read until now, percent-encoded.'),
      version_id: versionId('The version that was live last.'),
      generation: generationRef,
      reason: code('Why it is gone. New values can appear.', 'withdrawn_by_owner', 'page_gone'),
      withdrawn_by: nullable(userId('The owner who withdrew it; null when the page left by itself.')),
    }),
    example: {
      publication: chainCare.publication,
      version_id: chainCare.secondVersion,
      generation: chainCare.generation,
      reason: 'withdrawn_by_owner',
      withdrawn_by: people.owner,
    },
  }),
  eventType({
    type: 'schedule.cancel_required',
    title: 'Scheduled post must be stopped',
    description:
      'A scheduled post lost its approval or was replaced by a newer version, and the service could not take it back. Cancel it at the destination.',
    group: 'Schedules',
    schema: closed('A schedule to cancel by hand.', {
      subject_id: scheduleId('The schedule whose post must not go out.'),
    }),
    example: { subject_id: chainCare.schedule },
  }),
]
