/** A search of deliveries without filters. */
export const EVERYTHING = {
  webhookId: null,
  status: null,
  eventType: null,
  statusCodes: null,
  event: null,
  from: null,
  to: null,
}
