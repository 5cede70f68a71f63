import type { SeenRequest } from '../../receivers/scriptedReceiver.ts'
import type { Loss, Publish, PublishedEvent } from '../evidence.ts'

/** An event, and the publish it was part of. */
export interface Known {
  readonly publish: Publish
  readonly event: PublishedEvent
}

/** The requests of each event, in the order of time. */
export type RequestsByEvent = ReadonlyMap<string, readonly SeenRequest[]>

/** What the service promises, and what was done to it. */
export interface Circumstances {
  readonly losses: readonly Loss[]
  /** Attempts that a node has under way to one webhook at once, at most. */
  readonly maxInFlightPerWebhook: number
  /** So long after a webhook was switched off or paused, nothing may come any more. */
  readonly stopsWithinMs: number
}
