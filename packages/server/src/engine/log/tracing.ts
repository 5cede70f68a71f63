import type { Attempt, Workspace } from '../../storage/rows.ts'
import type { DeliveryIds } from './trail.ts'

/** Traces events from the publish request to the attempts of their deliveries. */
export interface Tracing {
  /** @returns `null`: the request is not traced, and no `traceparent` is passed on */
  publish(request: {
    readonly requestId: string
    readonly method: string
    /** Its route pattern. */
    readonly route: string
    /** The header as the client sent it. */
    readonly traceparent: string | undefined
    /** Time since the request arrived. */
    readonly elapsedMs: number
    readonly dialect: string
    readonly workspace: Pick<Workspace, 'id' | 'publicId'>
    readonly events: number
  }): PublishTrace | null
  /** Deliveries of an event were created after its acknowledgement. @param traceparent the event's */
  fannedOut(
    traceparent: string,
    step: { readonly workspaceId: number; readonly deliveries: number; readonly tookMs: number },
  ): void
  /** @param traceparent the event's @returns `null`: the attempt is not traced, and no `traceparent` is passed on */
  attempt(traceparent: string, delivery: TracedDelivery): AttemptTrace | null
}

/** A publish request. */
export interface PublishTrace {
  /** Stored with the events, so that their attempts belong to the trace. */
  readonly traceparent: string
  /** The events are handed to the store. */
  storing(): void
  /** The store has answered. @param deliveries of the events @param late those of them that are created after the answer */
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
  /** The header for the receiver; `null`: none. */
  readonly traceparent: string | null
  ended(attempt: Attempt): void
  /** The attempt does not count and is repeated. @param errorCode why it failed; `null`: it was abandoned */
  released(errorCode: string | null): void
}
