import type { JsonObject } from '../events/catalog.ts'

/** What is read of a verified event, of whichever scheme. */
export interface AnyVerified {
  readonly id?: string | null
  readonly type?: string | null
  readonly event: object
}

/** A version that orders the events of an entity: a safe integer, a date, or an ISO 8601 time. */
export type Version = number | Date | string

/**
 * The object that the event is about. On the advertising platform these are `entityType` and `entityId`. Elsewhere the first
 * part of the type names a member of the data, such as `publication.id` or `version_id`; the fallback is `generation.id` or
 * `subject_id`.
 *
 * @returns `null`: the event names none
 */
export function defaultEntity({ type, event }: AnyVerified): string | null {
  const { entityType, entityId, data, members } = event as JsonObject
  const place = isObject(members) && 'entityId' in members ? members : { entityType, entityId }
  if (typeof place.entityId === 'string') return `${place.entityType}:${place.entityId}`
  if (!isObject(data)) return null
  const [kind = ''] = (type ?? '').split('.')
  return idIn(data, kind) ?? idIn(data, 'generation') ?? idIn(data, 'subject')
}

/** @returns `undefined`: the event has no time */
export function defaultVersion({ event }: AnyVerified): Version | undefined {
  const { occurredAt, timestamp } = event as JsonObject
  return (occurredAt ?? timestamp ?? undefined) as Version | undefined
}

function idIn(data: JsonObject, name: string): string | null {
  const nested = data[name]
  const id = isObject(nested) ? nested.id : data[`${name}_id`]
  return typeof id === 'string' ? `${name}:${id}` : null
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
