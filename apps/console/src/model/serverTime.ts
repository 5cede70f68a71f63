/** Clocks that agree within this are as good as each other. */
const TRUSTED_WITHIN_MS = 1_000

/** When a request was answered, by two clocks. */
export interface Answered {
  /** The header `posthorn-time` of the response: Unix ms; `null` where there is none. */
  readonly told: string | null
  /** By the browser's clock, Unix ms. */
  readonly sentAt: number
  /** By the browser's clock, Unix ms. */
  readonly receivedAt: number
}

/** The service's clock as its answers tell it: a browser's own may be minutes off, or be set while a page is open. */
export class ServerTime {
  #aheadMs = 0

  /** How far the service's clock is ahead of the browser's, ms; 0 where nobody would notice. */
  get aheadMs(): number {
    return this.#aheadMs
  }

  note({ told, sentAt, receivedAt }: Answered): void {
    if (told === null || !/^\d+$/.test(told)) return
    // The answer was made some time between the two.
    const [least, most] = [Number(told) - receivedAt, Number(told) - sentAt]
    const isRight = (aheadMs: number) =>
      aheadMs >= least - TRUSTED_WITHIN_MS && aheadMs <= most + TRUSTED_WITHIN_MS
    if (isRight(this.#aheadMs)) return
    this.#aheadMs = isRight(0) ? 0 : Math.round((least + most) / 2)
  }
}
