import { randomUUID } from 'node:crypto'

export const CONTENT_TYPE = 'schedule.cancel_required'
export const ADS_TYPE = 'campaign.status_changed.v1'

/** The smallest valid event of the content service, different from all others. */
export const contentEvent = (more: object = {}) => ({
  type: CONTENT_TYPE,
  data: { subject_id: `sch_${randomUUID()}` },
  ...more,
})

/** Likewise of the ads service. */
export const adsEvent = (more: object = {}) => ({
  type: ADS_TYPE,
  entityType: 'campaign',
  entityId: randomUUID(),
  payload: { from: 'paused', to: 'active' },
  ...more,
})
