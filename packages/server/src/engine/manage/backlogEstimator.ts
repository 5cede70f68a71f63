import type { Clock } from '../../core/clock.ts'
import { isLimited, sendRateOf } from '../../core/limit.ts'
import { stepsOf } from '../../core/stats/periods.ts'
import { summaryOf } from '../../core/stats/summary.ts'
import { addTally, type Tally } from '../../core/stats/tally.ts'
import type { Webhook } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'

/** Deliveries that are counted at most: some 10 ms of the reading thread. */
const MAX_COUNTED = 100_000

/** The backlog that a webhook's rate limit causes. */
export interface Backlog {
  readonly length: number
  /** Whether there is more than was counted. */
  readonly more: boolean
  /**
   * When all of it will have been attempted, if nothing is added, Unix ms; `null`: the backlog is empty, sending is stopped, or
   * the time is not known.
   */
  readonly emptyAt: number | null
}

/** Estimates how long limited webhooks need for their backlog. */
export class BacklogEstimator {
  readonly #storage: Pick<Storage, 'webhooks' | 'stats'>
  readonly #clock: Pick<Clock, 'now'>
  readonly #slots: number

  /** @param params.slots attempts that may be under way for any webhook */
  constructor(params: {
    readonly storage: Pick<Storage, 'webhooks' | 'stats'>
    readonly clock: Pick<Clock, 'now'>
    readonly slots: number
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#slots = params.slots
  }

  /** @returns `null`: the webhook has no limit */
  async of(webhook: Webhook): Promise<Backlog | null> {
    if (!isLimited(webhook)) return null
    const now = this.#clock.now()
    const { due, more } = await this.#storage.webhooks.countDue({
      webhookId: webhook.id,
      now,
      atMost: MAX_COUNTED,
    })
    if (due === 0 || more || webhook.status !== 'on') return { length: due, more, emptyAt: null }
    const slots = Math.min(webhook.maxInFlight ?? this.#slots, this.#slots)
    const perSecond = sendRateOf(webhook, slots, await this.#responseMs(webhook.id, now))
    return {
      length: due,
      more,
      emptyAt: perSecond === null ? null : now + Math.ceil((due * 1_000) / perSecond),
    }
  }

  /** How long its receiver took to answer in the last hour (the median); `null`: it was not attempted. */
  async #responseMs(webhookId: number, now: number): Promise<number | null> {
    const { unit, stepMs, from, to } = stepsOf('1h', 'webhook', now)
    const asked = { scope: 'webhook', ids: [webhookId], unit, stepMs, from, to } as const
    const total: Tally = new Map()
    for (const { counts } of await this.#storage.stats.readStats(asked)) addTally(total, counts)
    return summaryOf(total, 'webhook').responseMs?.p50 ?? null
  }
}
