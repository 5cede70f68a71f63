import { isoTime } from '../isoTime.ts'

/** What the advertising platform publishes, once it was found valid. */
export interface AdsEvent extends AdsEventMembers {
  readonly id: string
  /** Unix ms. */
  readonly occurredAt: number
}

interface AdsEventMembers {
  readonly type: string
  readonly entityType: string
  readonly entityId: string
  readonly workspaceId: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The body that every attempt of every delivery of the event sends. */
export function adsEnvelope(event: AdsEvent): string {
  return wrapAdsMembers(event.id, event.occurredAt, adsMembersOf(event))
}

/** The members of the body between its id and its time, as JSON: all of it that takes long to write. */
export function adsMembersOf(event: AdsEventMembers): string {
  const { type, entityType, entityId, workspaceId, payload } = event
  return JSON.stringify({ type, entityType, entityId, workspaceId, payload }).slice(1, -1)
}

/** @param members from {@link adsMembersOf} */
export const wrapAdsMembers = (id: string, occurredAt: number, members: string): string =>
  `{"id":${JSON.stringify(id)},${members},"occurredAt":"${isoTime(occurredAt)}"}`
