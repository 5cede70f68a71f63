import { parseJson } from '../body.ts'
import { checkEnvelope, ISO_TIME, OBJECT, TEXT, type UnlistedEventType, UUID_TEXT } from './envelope.ts'

/** Members that this library does not know. The shape of a payload never changes within a version. */
export interface AdsEventPayload {
  readonly [member: string]: unknown
}

/** More statuses than these two exist. */
export type CampaignStatus = 'active' | 'paused' | (string & {})

export interface CampaignStatusChangedPayload extends AdsEventPayload {
  readonly from: CampaignStatus
  readonly to: CampaignStatus
}

/** `payload` by event type. */
export interface AdsEventPayloadByType {
  'campaign.created.v1': AdsEventPayload
  'campaign.updated.v1': AdsEventPayload
  'campaign.status_changed.v1': CampaignStatusChangedPayload
  'line_item.created.v1': AdsEventPayload
  'line_item.updated.v1': AdsEventPayload
  'creative.created.v1': AdsEventPayload
  'creative.updated.v1': AdsEventPayload
  'conversion_event.created.v1': AdsEventPayload
  'segment.created.v1': AdsEventPayload
  'segment.evaluated.v1': AdsEventPayload
  'workspace.created.v1': AdsEventPayload
  'sync.succeeded.v1': AdsEventPayload
  'sync.failed.v1': AdsEventPayload
  'report.ready.v1': AdsEventPayload
  'budget.threshold.v1': AdsEventPayload
  'spend.anomaly.v1': AdsEventPayload
  'decision.applied.v1': AdsEventPayload
  'package.created.v1': AdsEventPayload
  'deal.created.v1': AdsEventPayload
  'proposal.created.v1': AdsEventPayload
  'proposal.signed.v1': AdsEventPayload
  'change_request.created.v1': AdsEventPayload
  'change_request.reviewed.v1': AdsEventPayload
}

export type AdsEventType = keyof AdsEventPayloadByType | UnlistedEventType

export interface AdsEnvelope<Type extends AdsEventType, Payload> {
  /** Identifier of the event, a UUID, and signed: skip duplicates by it. */
  readonly id: string
  readonly type: Type
  /** Kind of the entity concerned, such as `campaign`. */
  readonly entityType: string
  readonly entityId: string
  readonly workspaceId: string
  readonly payload: Payload
  /** Time of the event, ISO 8601 UTC with milliseconds. */
  readonly occurredAt: string
}

/**
 * An event of the advertising platform service. Compare `type` to narrow `payload`. The envelope was checked; the
 * members of `payload` are the contract's word, vouched for by the signature.
 */
export type AdsEvent<Type extends AdsEventType = AdsEventType> = Type extends keyof AdsEventPayloadByType
  ? AdsEnvelope<Type, AdsEventPayloadByType[Type]>
  : AdsEnvelope<UnlistedEventType, AdsEventPayload>

const ENVELOPE = {
  id: UUID_TEXT,
  type: TEXT,
  entityType: TEXT,
  entityId: UUID_TEXT,
  workspaceId: UUID_TEXT,
  payload: OBJECT,
  occurredAt: ISO_TIME,
}

/** @throws {WebhookVerificationError} `body_not_utf8`, `body_not_json` or `envelope_invalid`. */
export function parseAdsEvent(body: Uint8Array): AdsEvent {
  const envelope = parseJson(body)
  checkEnvelope(envelope, ENVELOPE)
  return envelope as unknown as AdsEvent
}
