import { Type } from 'typebox'
import { eventIdQuery, eventTypeQuery, type Filters, statusCodeQuery } from '../shared/deliveries.ts'
import { pageQuery } from '../shared/pages.ts'
import { sinceQuery, untilQuery } from '../shared/schemas.ts'
import { deliveryStatus } from './delivery.ts'

/** Query parameters of lists of deliveries. */
export const deliveriesQuery = {
  status: Type.Optional(deliveryStatus),
  event_type: eventTypeQuery,
  status_code: statusCodeQuery,
  event_id: eventIdQuery,
  from: sinceQuery,
  to: untilQuery,
  ...pageQuery,
}

interface FiltersQuery {
  readonly status?: Filters['status']
  readonly event_type?: string
  readonly status_code?: string
  readonly event_id?: string
}

/** @param webhookId `null`: of all of the workspace */
export function filtersOf(query: FiltersQuery, webhookId: number | null): Filters {
  const { status, event_type: eventType, status_code: statusCode, event_id: eventId } = query
  return { webhookId, status, eventType, statusCode, eventId }
}
