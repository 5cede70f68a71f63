/** Smaller clock differences are ignored. */
const TRUSTED_WITHIN_MS = 1_000

/** Time of a response by both clocks. */
export interface Answered {
  /** The header `posthorn-time` of the response: Unix ms; `null`: absent. */
  readonly told: string | null
  /** By the browser's clock, Unix ms. */
  readonly sentAt: number
  /** By the browser's clock, Unix ms. */
  readonly receivedAt: number
}

/** Estimates the service's clock from its responses, since the browser's may be wrong or be changed. */
export class ServerTime {
  #aheadMs = 0

  /** Difference between the service's and the browser's clock, ms; 0 if it is negligible. */
  get aheadMs(): number {
    return this.#aheadMs
  }

  note({ told, sentAt, receivedAt }: Answered): void {
    if (told === null || !/^\d+$/.test(told)) return
    // The service's time was read between sending and receiving.
    const [least, most] = [Number(told) - receivedAt, Number(told) - sentAt]
    const isRight = (aheadMs: number) =>
      aheadMs >= least - TRUSTED_WITHIN_MS && aheadMs <= most + TRUSTED_WITHIN_MS
    if (isRight(this.#aheadMs)) return
    this.#aheadMs = isRight(0) ? 0 : Math.round((least + most) / 2)
  }
}
