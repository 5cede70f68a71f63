import { isoTime } from '../isoTime.ts'

/** What the advertising platform publishes, once it was found valid. */
export interface AdsEvent {
  readonly id: string
  readonly type: string
  readonly entityType: string
  readonly entityId: string
  readonly workspaceId: string
  readonly payload: Readonly<Record<string, unknown>>
  /** Unix ms. */
  readonly occurredAt: number
}

/** The body that every attempt of every delivery of the event sends. */
export function adsEnvelope(event: AdsEvent): string {
  return JSON.stringify({
    id: event.id,
    type: event.type,
    entityType: event.entityType,
    entityId: event.entityId,
    workspaceId: event.workspaceId,
    payload: event.payload,
    occurredAt: isoTime(event.occurredAt),
  })
}
