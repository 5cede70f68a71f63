/** Clocks that agree within this are as good as each other: the header has whole seconds, and answers take their time. */
const TRUSTED_WITHIN_MS = 2_000

/** When a request was answered, by two clocks. */
export interface Answered {
  /** The header `Date` of the response (RFC 9110, section 6.6.1); `null` where there is none. */
  readonly date: string | null
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

  note({ date, sentAt, receivedAt }: Answered): void {
    const toldAt = Date.parse(date ?? '')
    if (Number.isNaN(toldAt)) return
    // What the header says began up to a second before, and the answer was made some time between the two.
    const [least, most] = [toldAt - receivedAt, toldAt + 1_000 - sentAt]
    const isRight = (aheadMs: number) =>
      aheadMs >= least - TRUSTED_WITHIN_MS && aheadMs <= most + TRUSTED_WITHIN_MS
    if (isRight(this.#aheadMs)) return
    this.#aheadMs = isRight(0) ? 0 : Math.round((least + most) / 2)
  }
}
