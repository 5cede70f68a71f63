import type { WorkspaceRef } from '../../core/dialect.ts'
import { isoTime } from '../isoTime.ts'

/** What the content workflow service publishes, once it was found valid. */
export interface ContentEvent {
  readonly type: string
  /** Fits the type's schema; never holds the three members that are composed into it here. */
  readonly data: Readonly<Record<string, unknown>>
  readonly actorId: string | null
  readonly links: Readonly<Record<string, string>> | null
  /** Unix ms. */
  readonly occurredAt: number
}

/**
 * The body that every attempt of every delivery of the event sends.
 * `actor_id` is left out when nobody is known to have caused the event; `links` is then an empty object, so that
 * field mappings of automation tools always find it.
 */
export function contentEnvelope(event: ContentEvent, workspace: WorkspaceRef): string {
  return wrapContentData(event.type, event.occurredAt, contentData(event, workspace))
}

/** The `data` of the body, as JSON: all of it that takes long to write. */
export function contentData(
  event: Omit<ContentEvent, 'type' | 'occurredAt'>,
  workspace: WorkspaceRef,
): string {
  return JSON.stringify({
    workspace: { id: workspace.publicId, slug: workspace.slug, name: workspace.name },
    ...(event.actorId === null ? {} : { actor_id: event.actorId }),
    links: event.links ?? {},
    ...event.data,
  })
}

/** @param data from {@link contentData} */
export const wrapContentData = (type: string, occurredAt: number, data: string): string =>
  `{"type":${JSON.stringify(type)},"timestamp":"${isoTime(occurredAt)}","data":${data}}`
