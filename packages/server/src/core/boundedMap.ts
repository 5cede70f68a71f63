/** A map with a maximum size: beyond it, the entry that was set longest ago is dropped. */
export class BoundedMap<K, V> {
  readonly #maxEntries: number
  /** In the order of their last `set`. */
  readonly #entries = new Map<K, V>()

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    const oldest = this.#entries.keys().next()
    if (this.#entries.size >= this.#maxEntries && oldest.done !== true) this.#entries.delete(oldest.value)
    this.#entries.set(key, value)
  }

  values(): IterableIterator<V> {
    return this.#entries.values()
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
