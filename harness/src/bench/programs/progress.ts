import { tell } from '../../support/programSide.ts'

/** Sent by receivers regularly, so that publishers can pace themselves. */
export interface Progress {
  readonly kind: 'progress'
  readonly deliveries: number
}

/** Often enough for publishers to keep a few thousand events outstanding at 100,000 a second. */
const EVERY_MS = 5

/** Sends a message with the number of deliveries whenever it has grown. */
export function tellProgress(deliveries: () => number): void {
  let reported = 0
  setInterval(() => {
    const now = deliveries()
    if (now === reported) return
    reported = now
    tell({ kind: 'progress', deliveries: now } satisfies Progress)
  }, EVERY_MS)
}
