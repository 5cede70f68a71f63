import type { Dialect } from '../../core/dialect.ts'
import type { Sender } from './sender.ts'

/** What sends, one for each deadline: services that give receivers the same time share connections. */
export class Senders {
  readonly #make: (timeoutMs: number) => Sender
  readonly #byTimeout = new Map<number, Sender>()

  constructor(make: (timeoutMs: number) => Sender) {
    this.#make = make
  }

  of({ policy: { timeoutMs } }: Pick<Dialect, 'policy'>): Sender {
    let sender = this.#byTimeout.get(timeoutMs)
    if (sender === undefined) {
      sender = this.#make(timeoutMs)
      this.#byTimeout.set(timeoutMs, sender)
    }
    return sender
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#byTimeout.values()].map((sender) => sender.destroy()))
  }
}
