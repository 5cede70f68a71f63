import type { LeasedDelivery } from '../../src/storage/rows.ts'

/** A leased delivery of which a test specifies only the relevant parts. */
export function delivery(
  fields: Partial<LeasedDelivery> & Pick<LeasedDelivery, 'id' | 'webhookId'>,
): LeasedDelivery {
  return {
    lease: 1,
    workspaceId: 1,
    webhookVersion: 1,
    eventId: fields.id,
    eventPublicId: null,
    eventType: 'brick.stacked',
    body: '{}',
    createdAt: 0,
    traceparent: null,
    attempts: 0,
    trigger: 'schedule',
    runStart: 0,
    retryNumber: null,
    replayId: null,
    ...fields,
  }
}
