import type { WebhookInput } from './webhook.ts'

type LimitField = 'maxPerSecond' | 'maxInFlight'

/** State of a webhook's form: numbers as typed. The selected types are kept while `allTypes` is chosen. */
export interface Draft extends Omit<WebhookInput, LimitField>, Readonly<Record<LimitField, string>> {
  /** All current and future event types. */
  readonly allTypes: boolean
}

export type DraftField = keyof WebhookInput

interface Field {
  /** Display name. */
  readonly name: string
  /** JSON pointers in API errors. Services use different names. */
  readonly pointers: readonly string[]
}

export const FIELDS: Readonly<Record<DraftField, Field>> = {
  url: { name: 'URL', pointers: ['/url'] },
  description: { name: 'Description', pointers: ['/description'] },
  eventTypes: { name: 'Event types', pointers: ['/events', '/types'] },
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

/** Parses a number; `null`: empty, `NaN`: invalid. */
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

/** Errors that can be found without the service. */
export function missingIn(draft: Draft): Partial<Record<DraftField, string>> {
  const { url, allTypes, eventTypes } = draft
  const { maxPerSecond, maxInFlight } = inputOf(draft)
  return {
    ...(url.trim() === '' ? { url: 'Enter the URL that receives events.' } : {}),
    ...(!allTypes && eventTypes.length === 0 ? { eventTypes: 'Choose at least one event type.' } : {}),
    ...(Number.isNaN(maxPerSecond) ? { maxPerSecond: 'Enter a number such as 5 or 0.5.' } : {}),
    ...(maxInFlight !== null && !Number.isInteger(maxInFlight)
      ? { maxInFlight: 'Enter a whole number such as 2.' }
      : {}),
  }
}

/** Fields in which two versions differ, ignoring the order of event types. */
export const differingFields = (one: WebhookInput, other: WebhookInput): readonly DraftField[] =>
  FIELD_KEYS.filter((field) => comparable(one, field) !== comparable(other, field))

const comparable = (input: WebhookInput, field: DraftField): string =>
  field === 'eventTypes' ? [...input.eventTypes].sort().join(' ') : String(input[field] ?? '')

/** The members of `to` that differ from `from`. */
export function changesBetween(from: WebhookInput, to: WebhookInput): Partial<WebhookInput> {
  return Object.fromEntries(differingFields(from, to).map((field) => [field, to[field]]))
}

/** A conflict between the changes in a form and changes saved by someone else. */
export interface Collision {
  /** Their version with all own changes. */
  readonly merged: WebhookInput
  /** Own version with all of their changes. */
  readonly yielded: WebhookInput
  /** Fields changed by them. `contested`: also changed here, to another value. */
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
