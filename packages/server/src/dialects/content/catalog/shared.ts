import { type TSchema, Type } from 'typebox'
import type { EventType } from '../../../core/catalog.ts'
import { FORMS, prefixedIdPattern } from '../../../core/textForms.ts'
import { closed, code, type Draft, published } from '../../payloadSchemas.ts'

/** Only the prefixes that the contract shows are enforced; the service may name its other ids as it likes. */
const prefixedId = (prefix: string) => (description: string) =>
  Type.String({ description, pattern: prefixedIdPattern(`${prefix}_`), maxLength: prefix.length + 65 })

const contentId = prefixedId('cnt')
export const destinationId = prefixedId('dst')
export const generationId = prefixedId('gen')
export const publicationId = prefixedId('pub')
export const scheduleId = prefixedId('sch')
export const userId = prefixedId('usr')
export const versionId = prefixedId('ver')
export const webhookId = prefixedId('wh')

export const id = (description: string) =>
  Type.String({ description, pattern: FORMS.id.pattern, maxLength: 64 })

/** May be empty: a draft that fails early has no title yet, and its event is still worth sending. */
export const title = (description: string) => Type.String({ description, maxLength: 300 })

export const generationRef = closed('The piece of work that the event is about.', {
  id: generationId('The generation, as the API knows it.'),
  kind: code('What is being written, such as `article`. New kinds can appear.', 'article'),
  title: title('Its title at the time of the event.'),
  content_id: contentId(
    'The piece of content that the generation belongs to; stays the same over revisions.',
  ),
})

/** @param draft `subscribable` is true when left out. */
export function eventType<S extends TSchema>(
  draft: Draft<S> & { readonly subscribable?: boolean },
): EventType {
  return published({ subscribable: true, ...draft })
}
