import type { Loop } from '../loop.ts'
import type { Claimer } from './claimer.ts'
import type { Lanes } from './lanes.ts'

/** Reacts to a change of a webhook in the store, made by this node or by another one. */
export class WebhookChanges {
  readonly #lanes: Pick<Lanes, 'changed'>
  readonly #claimer: Pick<Claimer, 'wake'>
  readonly #canceler: Pick<Loop, 'wake'>

  constructor(params: {
    readonly lanes: Pick<Lanes, 'changed'>
    readonly claimer: Pick<Claimer, 'wake'>
    /** Ends what is pending for disabled webhooks. */
    readonly canceler: Pick<Loop, 'wake'>
  }) {
    this.#lanes = params.lanes
    this.#claimer = params.claimer
    this.#canceler = params.canceler
  }

  changed(webhookId: number): void {
    this.#lanes.changed(webhookId)
    this.#claimer.wake()
    this.#canceler.wake()
  }
}
