import type { Attempt } from '../../storage/rows.ts'

/** The public ids of a delivery. */
export interface DeliveryIds {
  readonly eventId: string
  readonly deliveryId: string
}

/** Logs each request, publish and attempt, if the log level is `debug`. */
export interface Trail {
  /** Whether anything is logged; if not, callers need not gather the fields. */
  readonly on: boolean
  /** @param route its pattern; absent: no route matches */
  answered(request: {
    readonly requestId: string
    readonly method: string
    readonly route: string | undefined
    readonly status: number
    readonly durationMs: number
  }): void
  /** @param eventIds of the events that the request published, repeats included */
  published(requestId: string, workspaceId: string, eventIds: readonly string[]): void
  attempted(ids: DeliveryIds, attempt: Attempt): void
}

export const silentTrail: Trail = {
  on: false,
  answered() {},
  published() {},
  attempted() {},
}
