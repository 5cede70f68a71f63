import { SECOND_MS } from '../../../src/core/duration.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'
import type { MemoryStore } from '../store/memoryStore.ts'
import type { Trace } from '../trace.ts'
import type { Fate } from './fates.ts'
import type { Process } from './process.ts'

/** A failed poll is repeated after this. */
const LOOK_EVERY_MS = SECOND_MS

/** How one process learns of changes to webhooks on any node: soon after, and at least once. */
export class ChangeLook {
  readonly #params: ConstructorParameters<typeof ChangeLook>[0]
  readonly #news = new Set<number>()
  #looking = false

  constructor(params: {
    readonly process: Process
    readonly clock: VirtualClock
    readonly trace: Trace
    readonly model: MemoryStore
    /** The fate of a poll. */
    readonly ask: () => Fate
    readonly announceMs: (process: Process) => number
    readonly listener: Parameters<Storage['onWebhooksChanged']>[0]
    readonly looked: Parameters<Storage['onWebhooksChanged']>[1]
  }) {
    this.#params = params
  }

  start(): void {
    const { model, process, announceMs } = this.#params
    const hear = (webhookIds: readonly number[]) => {
      if (!process.alive) {
        model.removeListener(hear)
        return
      }
      for (const id of webhookIds) this.#news.add(id)
      this.#lookIn(announceMs(process))
    }
    model.storage.onWebhooksChanged(hear, () => {})
  }

  #lookIn(ms: number): void {
    if (this.#looking) return
    this.#looking = true
    const { clock, process } = this.#params
    clock.after(ms, () => process.receive(() => this.#look()))
  }

  #look(): void {
    const { process, trace, ask, listener, looked } = this.#params
    this.#looking = false
    const { answers } = ask()
    if (answers !== 'result') {
      looked(new StoreUnavailableError('the way to the store broke'))
      this.#lookIn(LOOK_EVERY_MS)
      return
    }
    const webhookIds = [...this.#news].sort((a, b) => a - b)
    this.#news.clear()
    trace.note({ kind: 'informed', process: process.number, webhookIds })
    listener(webhookIds)
    looked(null)
  }
}
