import { type TSchema, Type } from 'typebox'
import type { EventType } from '../../../core/catalog.ts'
import { FORMS } from '../../../core/textForms.ts'
import { closed, code, type Draft, published } from '../../payloadSchemas.ts'

export interface AdsEventType extends EventType {
  /**
   * The `entityType` that every event of this type carries. The envelope's `entityId` names the entity, so a
   * payload never repeats it.
   */
  readonly entityType: string
}

/** The length bound refuses the `urn:uuid:` spelling, which the format allows. */
export const uuid = (description: string) => Type.String({ description, format: 'uuid', maxLength: 36 })

export const name = (description: string) => Type.String({ description, maxLength: 300 })

/** Nothing above this survives `JSON.parse` in JavaScript unchanged. */
export const count = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Minor units rather than micros: in micros, a large budget in rupiah passes the largest safe integer. */
export const money = (description: string) =>
  closed(description, {
    amountMinor: count("In the currency's minor unit: cents for EUR, whole yen for JPY."),
    currency: Type.String({
      description: 'ISO 4217 code.',
      pattern: FORMS.currency.pattern,
      maxLength: 3,
      examples: ['EUR'],
    }),
  })

export const changedFields = (description: string) =>
  Type.Array(
    Type.String({
      description: 'A field of the entity, by its name in the API.',
      pattern: FORMS.fieldName.pattern,
      maxLength: 64,
    }),
    { description, maxItems: 100, uniqueItems: true },
  )

/** What an `updated` event adds to the members of its `created` event. */
export const updated = {
  changedFields: changedFields('The fields that changed. Fields that this payload does not show count too.'),
}

export const target = (description: string) =>
  closed(description, {
    entityType: code('What kind of entity it is.', 'campaign', 'line_item'),
    entityId: uuid('The entity, as the API knows it.'),
  })

/** Every ads type can be subscribed to: the contract knows no test event. */
export function eventType<S extends TSchema>(
  draft: Draft<S> & Pick<AdsEventType, 'entityType'>,
): AdsEventType {
  return published({ ...draft, subscribable: true })
}
