import type { DeliveryFilter } from './delivery.ts'

/** An event that the workspace's service published. */
export interface WorkspaceEvent {
  readonly id: string
  readonly type: string
  readonly acceptedAt: string
  /** `null`: too many to count. */
  readonly deliveries: {
    readonly total: number
    readonly pending: number
    readonly delivered: number
    readonly failed: number
    readonly canceled: number
  } | null
  /** The event as returned by the API. */
  readonly json: object
}

/** Filters of a list of events. */
export interface EventFilter extends Pick<DeliveryFilter, 'q' | 'from' | 'to'> {
  /** One or more, separated by commas. */
  readonly type?: string | undefined
}

/** The deliveries of an event by state, in words. */
export function deliveriesText({ deliveries }: WorkspaceEvent): string {
  if (deliveries === null) return 'Not counted'
  const { total, ...states } = deliveries
  if (total === 0) return 'Not sent'
  const some = Object.entries(states).filter(([, count]) => count > 0)
  return some.map(([state, count]) => `${count} ${state}`).join(', ')
}
