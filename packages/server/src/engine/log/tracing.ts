import type { Attempt, Workspace } from '../../storage/rows.ts'
import type { DeliveryIds } from './trail.ts'

/** Follows events from the request that publishes them to the attempts of their deliveries. */
export interface Tracing {
  /** @returns `null`: the request belongs to no trace that is kept or carried on */
  publish(request: {
    readonly requestId: string
    readonly method: string
    /** Its pattern. */
    readonly route: string
    /** As the client sent it, if it did. */
    readonly traceparent: string | undefined
    /** For how long the request has been under way. */
    readonly elapsedMs: number
    readonly dialect: string
    readonly workspace: Pick<Workspace, 'id' | 'publicId'>
    readonly events: number
  }): PublishTrace | null
  /** Deliveries of an event were made after its acknowledgement. @param traceparent the event's */
  fannedOut(
    traceparent: string,
    step: { readonly workspaceId: number; readonly deliveries: number; readonly tookMs: number },
  ): void
  /** @param traceparent the event's @returns `null`: nothing is kept of the attempt, and nothing carried on */
  attempt(traceparent: string, delivery: TracedDelivery): AttemptTrace | null
}

/** A request that publishes. */
export interface PublishTrace {
  /** What belongs to the request from here on: it is stored with the events. */
  readonly traceparent: string
  /** The events are handed to the store. */
  storing(): void
  /** The store has answered. @param deliveries how many the events made, and of these, how many are made later */
  stored(deliveries: number, late: number): void
  /** The request was answered. @param status of HTTP */
  ended(status: number): void
}

export interface TracedDelivery {
  readonly workspaceId: number
  readonly dialect: string
  readonly webhookId: string
  readonly eventType: string
  readonly ids: () => DeliveryIds
}

/** An attempt under way. */
export interface AttemptTrace {
  /** What the request carries; `null`: nothing. */
  readonly traceparent: string | null
  ended(attempt: Attempt): void
  /** It does not count and is made again. @param errorCode why it failed; `null`: it was given up */
  putOff(errorCode: string | null): void
}
