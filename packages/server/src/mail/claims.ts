import type { Clock, Timer } from '../core/clock.ts'
import type { Storage } from '../storage/storage.ts'

const LATE = 'the mail server did not finish in time'
const LOST = 'the store was unavailable for so long that another node may have taken over'
const STOPPING = 'this process is stopping'

interface Work {
  readonly id: number
  readonly claim: string
  /** Monotonic time before the claim was asked for. */
  readonly askedAt: number
}

/**
 * Extends the claims of messages in progress, and aborts the work of a claim that it loses: from then on another node may send
 * the message.
 */
export class Claims {
  readonly #storage: Storage['notifications']
  readonly #clock: Clock
  readonly #claimMs: number
  readonly #workWithinMs: number
  readonly #underWay = new Set<AbortController>()

  /** @param params.workWithinMs timeout of one message */
  constructor(params: {
    readonly storage: Storage['notifications']
    readonly clock: Clock
    readonly claimMs: number
    readonly workWithinMs: number
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#claimMs = params.claimMs
    this.#workWithinMs = params.workWithinMs
  }

  /** @returns the result of the work, which must end soon once the signal aborts */
  async whileClaimed<Result>(work: Work, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController()
    const deadline = this.#clock.after(this.#workWithinMs, () => controller.abort(new Error(LATE)))
    this.#underWay.add(controller)
    const stopKeeping = this.#keep(work, controller)
    try {
      return await run(controller.signal)
    } finally {
      stopKeeping()
      deadline.cancel()
      this.#underWay.delete(controller)
    }
  }

  /** Aborts all work in progress. */
  breakOff(): void {
    for (const controller of this.#underWay) controller.abort(new Error(STOPPING))
  }

  /** @returns a function that ends the extension of the claim */
  #keep({ id, claim, askedAt }: Work, controller: AbortController): () => void {
    const clock = this.#clock
    const claimMs = this.#claimMs
    let over = false
    let end: Timer
    let next: Timer
    const endAfter = (since: number) => {
      end = clock.after(since + claimMs - clock.monotonic(), () => controller.abort(new Error(LOST)))
      next = clock.after(claimMs / 3, () => void renew())
    }
    const renew = async () => {
      const since = clock.monotonic()
      // If the store does not answer, it is asked again until the claim ends.
      const claimed = await this.#storage
        .renewNotification({ id, claim, claimMs, now: clock.now() })
        .catch(() => null)
      if (over) return
      if (claimed === false) controller.abort(new Error(LOST))
      else if (claimed === null) next = clock.after(claimMs / 3, () => void renew())
      else {
        end.cancel()
        endAfter(since)
      }
    }
    endAfter(askedAt)
    return () => {
      over = true
      end.cancel()
      next.cancel()
    }
  }
}
