import { closed, nullable } from '../../payloadSchemas.ts'
import { eventType, generationRef, id, userId, versionId } from './shared.ts'
import { chainCare, people } from './world.ts'

export const commentEvents = [
  eventType({
    type: 'comment.created',
    title: 'Comment added',
    description:
      'Someone commented on a piece of content. The event names the comment and its author; its text is read from the API.',
    group: 'Comments',
    schema: closed('A new comment and what it is about.', {
      comment: closed('The comment, without its text.', {
        id: id('The comment, as the API knows it.'),
        author_id: userId('The person who wrote it.'),
        reply_to: nullable(id('The comment that it answers; null when it starts a thread.')),
      }),
      generation: generationRef,
      version_id: nullable(
        versionId('The version it was written on; null when it is about the piece as a whole.'),
      ),
    }),
    example: {
      comment: { id: chainCare.comment, author_id: people.owner, reply_to: null },
      generation: chainCare.generation,
      version_id: chainCare.firstVersion,
    },
  }),
]
