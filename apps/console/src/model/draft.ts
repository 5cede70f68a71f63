import type { WebhookInput } from './webhook.ts'

type LimitField = 'maxPerSecond' | 'maxInFlight'

/** What stands in the form of a webhook: numbers as they are typed. What is ticked is kept while `allTypes` stands over it. */
export interface Draft extends Omit<WebhookInput, LimitField>, Readonly<Record<LimitField, string>> {
  /** All event types, also those that come later. */
  readonly allTypes: boolean
}

export type DraftField = keyof WebhookInput

interface Field {
  /** For people. */
  readonly name: string
  /** In errors of the API; the services name some members differently. */
  readonly pointers: readonly string[]
}

export const FIELDS: Readonly<Record<DraftField, Field>> = {
  url: { name: 'URL', pointers: ['/url'] },
  description: { name: 'Description', pointers: ['/description'] },
  eventTypes: { name: 'Events', pointers: ['/events', '/types'] },
  maxPerSecond: { name: 'Rate limit', pointers: ['/max_per_second', '/maxPerSecond'] },
  maxInFlight: { name: 'Concurrent attempts', pointers: ['/max_in_flight', '/maxInFlight'] },
}

export const FIELD_KEYS = Object.keys(FIELDS) as readonly DraftField[]

export const EMPTY_DRAFT: Draft = {
  url: '',
  description: '',
  allTypes: false,
  eventTypes: [],
  maxPerSecond: '',
  maxInFlight: '',
}

export const draftOf = ({
  url,
  description,
  eventTypes,
  maxPerSecond,
  maxInFlight,
}: WebhookInput): Draft => ({
  url,
  description,
  allTypes: eventTypes.length === 0,
  eventTypes,
  maxPerSecond: maxPerSecond === null ? '' : String(maxPerSecond),
  maxInFlight: maxInFlight === null ? '' : String(maxInFlight),
})

/** What was typed as a number; `null`: nothing, `NaN`: something else. */
function numberIn(typed: string): number | null {
  const text = typed.trim().replace(',', '.')
  if (text === '') return null
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
}

export const inputOf = ({
  url,
  description,
  allTypes,
  eventTypes,
  maxPerSecond,
  maxInFlight,
}: Draft): WebhookInput => ({
  url: url.trim(),
  description: description.trim(),
  eventTypes: allTypes ? [] : [...eventTypes].sort(),
  maxPerSecond: numberIn(maxPerSecond),
  maxInFlight: numberIn(maxInFlight),
})

/** What keeps a draft from being sent at all; what it means is for the service to judge. */
export function missingIn(draft: Draft): Partial<Record<DraftField, string>> {
  const { url, allTypes, eventTypes } = draft
  const { maxPerSecond, maxInFlight } = inputOf(draft)
  return {
    ...(url.trim() === '' ? { url: 'Enter the URL that events are to be sent to.' } : {}),
    ...(!allTypes && eventTypes.length === 0 ? { eventTypes: 'Choose at least one event.' } : {}),
    ...(Number.isNaN(maxPerSecond) ? { maxPerSecond: 'Enter a number such as 5 or 0.5.' } : {}),
    ...(maxInFlight !== null && !Number.isInteger(maxInFlight)
      ? { maxInFlight: 'Enter a whole number such as 2.' }
      : {}),
  }
}

/** The fields in which two versions differ. The order of event types means nothing. */
export const differingFields = (one: WebhookInput, other: WebhookInput): readonly DraftField[] =>
  FIELD_KEYS.filter((field) => comparable(one, field) !== comparable(other, field))

const comparable = (input: WebhookInput, field: DraftField): string =>
  field === 'eventTypes' ? [...input.eventTypes].sort().join(' ') : String(input[field] ?? '')

/** The members of `to` that differ from `from`. */
export function changesBetween(from: WebhookInput, to: WebhookInput): Partial<WebhookInput> {
  return Object.fromEntries(differingFields(from, to).map((field) => [field, to[field]]))
}

/** What somebody else changed while a form was open, against what was typed in it. */
export interface Collision {
  /** What one's own changes come down to on top of theirs: their version, but for what was typed here. */
  readonly merged: WebhookInput
  /** Their version, but for what was changed here alone. */
  readonly yielded: WebhookInput
  /** Changed by them. `contested`: here too, and not to the same. */
  readonly theirs: readonly { readonly field: DraftField; readonly contested: boolean }[]
}

export function collisionOf(before: WebhookInput, theirs: WebhookInput, mine: WebhookInput): Collision {
  const changedHere = differingFields(before, mine)
  const differing = differingFields(theirs, mine)
  const { url, description, eventTypes, maxPerSecond, maxInFlight } = theirs
  const now = { url, description, eventTypes, maxPerSecond, maxInFlight }
  const changedThere = changesBetween(before, now)
  return {
    merged: { ...now, ...changesBetween(before, mine) },
    yielded: { ...mine, ...changedThere },
    theirs: differingFields(before, theirs).map((field) => ({
      field,
      contested: changedHere.includes(field) && differing.includes(field),
    })),
  }
}
