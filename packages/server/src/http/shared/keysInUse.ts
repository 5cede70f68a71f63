import type { IdempotencyKey } from '../../engine/engine.ts'
import { Problem } from './problems.ts'

/** Idempotency keys whose first request this process is still working on. */
export class KeysInUse {
  readonly #names = new Set<string>()

  /** @throws Problem `idempotency_key_in_use` */
  async during<T>({ scope, key }: IdempotencyKey, work: () => Promise<T>): Promise<T> {
    const name = `${scope} ${key}`
    if (this.#names.has(name)) {
      throw new Problem(
        'idempotency_key_in_use',
        'A request under this Idempotency-Key is still under way; try again for its answer.',
        { headers: { 'retry-after': '1' } },
      )
    }
    this.#names.add(name)
    try {
      return await work()
    } finally {
      this.#names.delete(name)
    }
  }
}
