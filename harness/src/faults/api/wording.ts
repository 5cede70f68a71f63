import type { DialectName, NewEvent } from '../../support/workspaces.ts'
import type { Attempt, Delivery } from '../evidence.ts'

/** The names that each service uses for what both have. */
export interface Wording {
  readonly publishPath: (workspace: string) => string
  readonly webhooksPath: (workspace: string) => string
  readonly typesMember: string
  readonly secretMember: string
  /** Already with a query string. */
  readonly logPath: (workspace: string, webhook: string) => string
  readonly cursorMember: string
  readonly toEvent: (event: NewEvent) => object
  readonly toDelivery: (entry: unknown) => Delivery
  /** Restarts a finished delivery. */
  readonly resendPath: (workspace: string, webhook: string, delivery: string) => string
  /** The state from which {@link resendPath} starts. */
  readonly exhausted: 'failed' | 'dead'
}

interface ContentAttempt {
  readonly number: number
  readonly trigger: Attempt['trigger']
  readonly started_at: string
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error: { readonly code: string } | null
}

interface ContentDelivery {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: string
  readonly next_attempt_at: string | null
  readonly attempts: readonly ContentAttempt[]
}

interface AdsDelivery {
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly status: string
  readonly nextAttemptAt: string | null
  readonly attempts: readonly {
    readonly number: number
    readonly trigger: Attempt['trigger']
    readonly startedAt: string
    readonly durationMs: number
    readonly statusCode: number | null
    readonly error: { readonly code: string } | null
  }[]
}

const webhooksOf = (workspace: string) => `/v1/workspaces/${workspace}/webhooks`

const content: Wording = {
  publishPath: (workspace) => `/v1/workspaces/${workspace}/events`,
  webhooksPath: webhooksOf,
  typesMember: 'events',
  secretMember: 'signing_secret',
  logPath: (workspace, webhook) => `${webhooksOf(workspace)}/${webhook}/deliveries?limit=100`,
  cursorMember: 'next_cursor',
  toEvent: ({ content: data, ...event }) => ({ ...event, data }),
  toDelivery(entry) {
    const { id, event_id: eventId, event_type: eventType, status, ...rest } = entry as ContentDelivery
    return {
      id,
      eventId,
      eventType,
      status,
      nextAttemptAt: rest.next_attempt_at,
      attempts: rest.attempts.map((attempt) => ({
        number: attempt.number,
        trigger: attempt.trigger,
        startedAt: attempt.started_at,
        durationMs: attempt.duration_ms,
        statusCode: attempt.status_code,
        error: attempt.error?.code ?? null,
      })),
    }
  },
  resendPath: (workspace, webhook, delivery) =>
    `${webhooksOf(workspace)}/${webhook}/deliveries/${delivery}/redeliver`,
  exhausted: 'failed',
}

const ads: Wording = {
  publishPath: () => '/api/v1/events',
  webhooksPath: () => '/api/v1/webhooks',
  typesMember: 'types',
  secretMember: 'signingSecret',
  logPath: (_workspace, webhook) => `/api/v1/webhook-deliveries?limit=100&webhookId=${webhook}`,
  cursorMember: 'nextCursor',
  toEvent: ({ content: payload, entity, ...event }) => ({
    ...event,
    entityType: entity?.type,
    entityId: entity?.id,
    payload,
  }),
  toDelivery(entry) {
    const { id, eventId, eventType, status, nextAttemptAt, attempts } = entry as AdsDelivery
    return {
      id,
      eventId,
      eventType,
      status,
      nextAttemptAt,
      attempts: attempts.map(({ number, trigger, startedAt, durationMs, statusCode, error }) => ({
        number,
        trigger,
        startedAt,
        durationMs,
        statusCode,
        error: error?.code ?? null,
      })),
    }
  },
  resendPath: (_workspace, _webhook, delivery) => `/api/v1/webhook-deliveries/${delivery}/replay`,
  exhausted: 'dead',
}

export const WORDINGS: Readonly<Record<DialectName, Wording>> = { content, ads }
