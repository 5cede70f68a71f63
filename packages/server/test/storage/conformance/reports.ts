import type { HealthSignal } from '../../../src/core/health.ts'
import type { Attempt } from '../../../src/storage/rows.ts'
import type { AttemptToRecord, DeliveryLease } from '../../../src/storage/storage.ts'

/** The delivery of a report. */
type Of = Pick<AttemptToRecord, 'deliveryId' | 'webhookId'>

/** Senders' reports of their attempts. */
export class Reports {
  now = Date.UTC(2026, 0, 1)
  readonly #leases = new Map<number, DeliveryLease>()

  /** Records leases of a node. */
  took(deliveries: readonly DeliveryLease[]): void {
    for (const { deliveryId, createdAt, lease } of deliveries)
      this.#leases.set(deliveryId, { deliveryId, createdAt, lease })
  }

  /** A delivery with its newest lease. */
  leaseOf(deliveryId: number): DeliveryLease {
    return this.#leases.get(deliveryId) ?? { deliveryId, createdAt: this.now, lease: 1 }
  }

  /** An attempt with a 200. */
  success(of: Of, attempt: Partial<Attempt> = {}): AttemptToRecord {
    return {
      ...this.#named(of),
      attempt: {
        ...this.#attempt(),
        statusCode: 200,
        errorCode: null,
        errorMessage: null,
        cause: null,
        ...attempt,
      },
      next: { status: 'delivered', nextAttemptAt: null },
      signal: 'success',
      healthPolicy: 0,
      replayId: null,
    }
  }

  /** An attempt with a 500, to be repeated in a minute by default. */
  failure(
    of: Of,
    changes: {
      attempt?: Partial<Attempt>
      next?: Exclude<AttemptToRecord['next'], { status: 'delivered' }>
      signal?: HealthSignal
    } = {},
  ): AttemptToRecord {
    return {
      ...this.#named(of),
      attempt: { ...this.#attempt(), ...changes.attempt },
      next: changes.next ?? { status: 'pending', nextAttemptAt: this.now + 60_000 },
      signal: changes.signal ?? 'failure',
      healthPolicy: 0,
      replayId: null,
    }
  }

  #named({ deliveryId, webhookId }: Of) {
    return { ...this.leaseOf(deliveryId), webhookId }
  }

  #attempt(): Attempt {
    return {
      number: 1,
      trigger: 'schedule',
      webhookVersion: 1,
      startedAt: this.now,
      durationMs: 12,
      statusCode: 500,
      errorCode: 'http_status',
      errorMessage: 'The receiver answered 500.',
      cause: 'receiver',
      contentType: 'text/plain',
      responseBody: Uint8Array.of(1, 2, 3),
    }
  }

  /** A 410: the delivery ends, and under {@link STRICT} the webhook with it. */
  gone(of: Of, attempt: Partial<Attempt> = {}): AttemptToRecord {
    return this.failure(of, {
      attempt: { statusCode: 410, ...attempt },
      next: { status: 'failed', nextAttemptAt: null },
      signal: 'gone',
    })
  }
}
