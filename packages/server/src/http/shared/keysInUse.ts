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
        'A request with this Idempotency-Key is still in progress. Retry to get its response.',
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
