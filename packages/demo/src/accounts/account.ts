import type { ServiceName } from '../story/cast.ts'
import type { Happening } from '../story/story.ts'

/** A workspace as the provisioning API shows it. */
export interface Workspace {
  readonly id: string
  readonly slug: string
  readonly name: string
}

/** An attempt as the service's delivery log shows it. Times in Unix ms. */
export interface LoggedAttempt {
  readonly trigger: string
  readonly startedAt: number
  readonly durationMs: number
  readonly statusCode: number | null
  /** `null` when it succeeded. */
  readonly errorCode: string | null
}

/** A delivery as the service's delivery log shows it. */
export interface LoggedDelivery {
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly status: string
  /** Oldest first. */
  readonly attempts: readonly LoggedAttempt[]
  /** Unix ms; `null` once it is finished. */
  readonly nextAttemptAt: number | null
}

export interface PublishedEvent {
  readonly id: string
  readonly type: string
  /** What the body of the event must contain at each receiver, and nothing else. */
  readonly envelope: unknown
}

/** A webhook or an endpoint that the demo has registered. */
interface Registered {
  readonly id: string
  readonly secret: string
}

/** What a customer does at one of the two services. Each service has its own API. */
export interface Account {
  readonly service: ServiceName
  /** Name of its workspace. */
  readonly workspace: string
  /** Commands that publish one more event, for the user to try. */
  readonly curl: string
  register(webhook: {
    readonly url: string
    readonly types: 'all' | readonly string[]
    readonly description: string
  }): Promise<Registered>
  publish(happening: Happening): Promise<PublishedEvent>
  /**
   * The delivery log of a webhook, newest first.
   * @param extent `recent` is one page of it
   */
  deliveries(webhookId: string, extent: 'recent' | 'whole'): Promise<readonly LoggedDelivery[]>
  /** `enabled`, or `disabled` and why. */
  state(webhookId: string): Promise<string>
  /** Sends a finished (content) or dead (ads) delivery again. */
  sendAgain(webhookId: string, deliveryId: string): Promise<void>
}

/** Keys of one workspace: one to publish, one to manage webhooks. */
export interface Keys {
  readonly publish: string
  readonly manage: string
}
