/** Returns its items smallest first. */
export class Heap<Item> {
  readonly #before: (a: Item, b: Item) => boolean
  readonly #items: Item[] = []

  /** @param before whether `a` comes before `b` */
  constructor(before: (a: Item, b: Item) => boolean) {
    this.#before = before
  }

  get first(): Item | undefined {
    return this.#items[0]
  }

  get items(): readonly Item[] {
    return this.#items
  }

  push(item: Item): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  pop(): Item | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (items.length > 0) this.#sink(last!)
    return first
  }

  /** Replaces all its items by `items`. */
  refill(items: readonly Item[]): void {
    const kept = [...items]
    this.#items.length = 0
    for (const item of kept) this.push(item)
  }

  /** Replaces the first item by `item` and sifts it down. */
  #sink(item: Item): void {
    const items = this.#items
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#before(items[child + 1]!, items[child]!)) child++
      if (!this.#before(items[child]!, item)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
  }
}
