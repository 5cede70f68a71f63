import type { StandardEvent } from './standard.ts'

/** Members that events of every type share. Payloads are thin: fetch the rest from the API. */
export interface ContentEventData {
  /** The workspace the event belongs to. */
  readonly workspace: { readonly id: string; readonly slug: string; readonly name: string }
  /** Who caused the event; left out if not known. */
  readonly actor_id?: string
  /** Where to read more. */
  readonly links: ContentLinks
  readonly [member: string]: unknown
}

export interface ContentLinks {
  /** URL in the web app. */
  readonly app?: string
  /** API URL of the generation or publication. */
  readonly api?: string
  /** API URL of the version. */
  readonly version?: string
  readonly [name: string]: string | undefined
}

export interface ContentGeneration {
  readonly id: string
  /** More kinds than `article` exist. */
  readonly kind: 'article' | (string & {})
  readonly title: string
  readonly content_id: string
}

export interface VersionApprovedData extends ContentEventData {
  readonly generation: ContentGeneration
  readonly version_id: string
  readonly decided_by: string
  /** `person`, or another value where autopilot approved. */
  readonly via: 'person' | (string & {})
}

export interface PublicationPublishedData extends ContentEventData {
  readonly publication: {
    readonly id: string
    readonly slug: string
    readonly destination_id: string
    readonly url: string
  }
  readonly version_id: string
  readonly generation: ContentGeneration
}

export interface ScheduleCancelRequiredData extends ContentEventData {
  /** Identifier of the schedule. */
  readonly subject_id: string
}

/** `data` by event type. */
export interface ContentEventDataByType {
  'generation.ready_for_review': ContentEventData
  'generation.review_requested': ContentEventData
  'generation.needs_input': ContentEventData
  'generation.failed': ContentEventData
  'version.approved': VersionApprovedData
  'version.changes_requested': ContentEventData
  'publication.published': PublicationPublishedData
  'publication.failed': ContentEventData
  'publication.withdrawn': ContentEventData
  'schedule.cancel_required': ScheduleCancelRequiredData
  'comment.created': ContentEventData
  'plan.ready': ContentEventData
  'plan.saved': ContentEventData
  'autopilot.needs_review': ContentEventData
  'autopilot.slot_missed': ContentEventData
  'suggestions.ready': ContentEventData
  'webhook.test': ContentEventData
}

/** An event of the content workflow service. Compare `type` to narrow `data`. */
export type ContentEvent = StandardEvent<ContentEventDataByType, ContentEventData>
