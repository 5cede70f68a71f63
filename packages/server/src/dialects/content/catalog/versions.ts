import { closed, code, nullable } from '../../payloadSchemas.ts'
import { eventType, generationRef, id, userId, versionId } from './shared.ts'
import { chainCare, people } from './world.ts'

const group = 'Versions'

export const versionEvents = [
  eventType({
    type: 'version.approved',
    title: 'Version approved',
    description:
      'A version was approved, by a person or by autopilot under gated auto-approve. From here on it may be published.',
    group,
    schema: closed('The approval of one version.', {
      generation: generationRef,
      version_id: versionId('The version that was approved.'),
      decided_by: userId('The person who approved, or on whose behalf autopilot did.'),
      via: code(
        'What approved: `person` for a person, another value for autopilot. New values can appear.',
        'person',
      ),
    }),
    example: {
      generation: chainCare.generation,
      version_id: chainCare.secondVersion,
      decided_by: people.owner,
      via: 'person',
    },
  }),
  eventType({
    type: 'version.changes_requested',
    title: 'Changes requested',
    description:
      'A person read a version and asked for changes instead of approving it. What they want is in the comment, which the API returns.',
    group,
    schema: closed('A request to change one version.', {
      generation: generationRef,
      version_id: versionId('The version to change.'),
      decided_by: userId('The person who asked for changes.'),
      comment_id: nullable(id('The comment that says what to change; null when none was written.')),
    }),
    example: {
      generation: chainCare.generation,
      version_id: chainCare.firstVersion,
      decided_by: people.owner,
      comment_id: chainCare.comment,
    },
  }),
]
