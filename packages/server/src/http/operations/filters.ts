import { type TProperties, Type } from 'typebox'
import type { DeliveryStatus } from '../../core/delivery.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { eventIdQuery, eventTypeQuery, type Filters, statusCodeQuery } from '../shared/deliveries.ts'
import { pageQuery } from '../shared/pages.ts'
import { sinceQuery, untilQuery } from '../shared/schemas.ts'
import { statusOf } from './delivery.ts'

/** Query parameters of lists of deliveries. @param more stand after the status or, in front, before it */
export const deliveriesQuery = (
  service: ServedProfile,
  more: { readonly front?: TProperties; readonly after?: TProperties } = {},
) => ({
  ...more.front,
  status: Type.Optional(statusOf(service)),
  ...more.after,
  event_type: eventTypeQuery,
  status_code: statusCodeQuery,
  event_id: eventIdQuery,
  from: sinceQuery,
  to: untilQuery,
  ...pageQuery,
})

export interface DeliveriesQuery {
  readonly webhook_id?: string
  readonly status?: DeliveryStatus
  readonly event_type?: string
  readonly status_code?: string
  readonly event_id?: string
  readonly from?: string
  readonly to?: string
  readonly limit?: number
  readonly cursor?: string
}

/** @param webhookId `null`: of all of the workspace */
export function filtersOf(query: DeliveriesQuery, webhookId: number | null): Filters {
  const { status, event_type: eventType, status_code: statusCode, event_id: eventId } = query
  return { webhookId, status, eventType, statusCode, eventId }
}
