/** A search of deliveries without filters. */
export const EVERYTHING = {
  webhookId: null,
  status: null,
  eventTypes: null,
  text: null,
  deliveryId: null,
  statusCodes: null,
  event: null,
  from: null,
  to: null,
}
