import { type TProperties, Type } from 'typebox'
import type { DeliveryStatus } from '../../core/delivery.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { ServiceContext } from '../shared/context.ts'
import { eventIdQuery, eventTypeQuery, type Filters, statusCodeQuery } from '../shared/deliveries.ts'
import { readTypes } from '../shared/eventTypes.ts'
import { pageQuery } from '../shared/pages.ts'
import { sinceQuery, untilQuery } from '../shared/schemas.ts'
import { questionQuery } from '../shared/search.ts'
import { statusOf } from './delivery.ts'

/** Query parameters of lists of deliveries. @param more stand after the status or, in front, before it */
export const deliveriesQuery = (
  service: ServedProfile,
  more: { readonly front?: TProperties; readonly after?: TProperties } = {},
) => ({
  ...more.front,
  status: Type.Optional(statusOf(service)),
  ...more.after,
  q: questionQuery(service.profile.access.contents),
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
  readonly q?: string
  readonly event_type?: string
  readonly status_code?: string
  readonly event_id?: string
  readonly from?: string
  readonly to?: string
  readonly limit?: number
  readonly cursor?: string
}

/** @param webhookId `null`: of all of the workspace */
export function filtersOf(
  { dialect, member }: ServiceContext,
  query: DeliveriesQuery,
  webhookId: number | null,
): Filters {
  const { q: question, status, event_type: types, status_code: statusCode, event_id: eventId } = query
  const eventTypes = readTypes(dialect.catalog, types, member('event_type'))
  return { webhookId, question, status, eventTypes, statusCode, eventId }
}
