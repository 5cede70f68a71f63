import type { SeenRequest } from '../../receivers/scriptedReceiver.ts'
import type { Loss, Publish, PublishedEvent } from '../evidence.ts'

/** An event, and the publish that contained it. */
export interface Known {
  readonly publish: Publish
  readonly event: PublishedEvent
}

/** The requests of each event, in order of time. */
export type RequestsByEvent = ReadonlyMap<string, readonly SeenRequest[]>

/** The service's promises, and the faults of the round. */
export interface Circumstances {
  readonly losses: readonly Loss[]
  /** Highest number of attempts that a node has in flight to one webhook. */
  readonly maxInFlightPerWebhook: number
  /** Time after a webhook was disabled or paused, after which nothing may arrive. */
  readonly stopsWithinMs: number
}
