import { Type } from 'typebox'
import { closed, code, nullable, url } from '../../payloadSchemas.ts'
import { eventType, name, updated } from './shared.ts'

const group = 'Creatives'

const pixels = (description: string) => nullable(Type.Integer({ description, minimum: 1, maximum: 100_000 }))

const creativeMembers = {
  name: name('Its name in the library.'),
  format: code('What kind of creative it is. New values can appear.', 'image', 'video', 'audio'),
  widthPx: pixels('Width in pixels; null for a format without a picture.'),
  heightPx: pixels('Height in pixels; null for a format without a picture.'),
  reviewStatus: code('Where it stands in review. New values can appear.', 'pending', 'approved', 'rejected'),
  landingPageUrl: nullable(url('Where a click leads, percent-encoded; null when it cannot be clicked.')),
}

const creative = {
  name: 'Jacket in a downpour, 15 seconds',
  format: 'video',
  widthPx: 1920,
  heightPx: 1080,
  reviewStatus: 'pending',
  landingPageUrl: 'https://shop.terntide.example/rain-jackets',
}

export const creativeEvents = [
  eventType({
    type: 'creative.created.v1',
    entityType: 'creative',
    title: 'Creative created',
    description: 'A creative was added to the library. Its files are read from the API.',
    group,
    schema: closed('The new creative.', creativeMembers),
    example: creative,
  }),
  eventType({
    type: 'creative.updated.v1',
    entityType: 'creative',
    title: 'Creative updated',
    description:
      'A creative was changed, or its review moved on. It carries the state after the change and names what changed.',
    group,
    schema: closed('The creative after the change.', { ...creativeMembers, ...updated }),
    example: { ...creative, reviewStatus: 'approved', changedFields: ['reviewStatus'] },
  }),
]
