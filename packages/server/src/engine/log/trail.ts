import type { Attempt } from '../../storage/rows.ts'

/** The ids of a delivery, as people see them. */
export interface DeliveryIds {
  readonly eventId: string
  readonly deliveryId: string
}

/** Writes down the way of each request and delivery, where the log level asks for it. */
export interface Trail {
  /** Whether anything is written down: what it takes need not be gathered otherwise. */
  readonly on: boolean
  /** @param route its pattern; absent: no route has this path */
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
