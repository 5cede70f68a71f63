import type { DeliveryFilter } from './delivery.ts'

/** An event that the workspace's service published. */
export interface WorkspaceEvent {
  readonly id: string
  readonly type: string
  readonly acceptedAt: string
  /** `null`: there are too many webhooks to count. */
  readonly deliveries: {
    readonly total: number
    readonly pending: number
    readonly delivered: number
    readonly failed: number
    readonly canceled: number
  } | null
  /** As the API shows it. */
  readonly json: object
}

/** What narrows a list of events down. */
export interface EventFilter extends Pick<DeliveryFilter, 'q' | 'from' | 'to'> {
  /** Several stand with commas between them. */
  readonly type?: string | undefined
}

/** What became of an event's deliveries, in words. */
export function deliveriesText({ deliveries }: WorkspaceEvent): string {
  if (deliveries === null) return 'Not counted'
  const { total, ...states } = deliveries
  if (total === 0) return 'Not sent'
  const some = Object.entries(states).filter(([, count]) => count > 0)
  return some.map(([state, count]) => `${count} ${state}`).join(', ')
}
