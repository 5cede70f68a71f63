import type { ServiceEvent } from './service.ts'

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

/** An event of the advertising platform service. Compare `type` to narrow `payload`. */
export type AdsEvent = ServiceEvent<AdsEventPayloadByType>
