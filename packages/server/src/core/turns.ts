/**
 * Queues by group, such as a workspace. Groups take turns, so that a group with a long queue delays each other group by only
 * one item.
 */
export class Turns<T, Group = number> {
  /** In the order of their turns. */
  readonly #waiting = new Map<Group, T[]>()

  get empty(): boolean {
    return this.#waiting.size === 0
  }

  add(group: Group, one: T): void {
    const waiting = this.#waiting.get(group)
    if (waiting === undefined) this.#waiting.set(group, [one])
    else waiting.push(one)
  }

  /** The item that {@link next} would return. */
  peek(): T | undefined {
    const [turn] = this.#waiting.values()
    return turn?.[0]
  }

  next(): T | undefined {
    const [turn] = this.#waiting
    if (turn === undefined) return undefined
    const [group, waiting] = turn
    const one = waiting.shift()
    this.#waiting.delete(group)
    if (waiting.length > 0) this.#waiting.set(group, waiting)
    return one
  }

  /** Removes all items that match, out of turn. */
  takeAll(isSo: (one: T) => boolean): T[] {
    const taken: T[] = []
    for (const [group, waiting] of this.#waiting) {
      const left = waiting.filter((one) => !isSo(one))
      taken.push(...waiting.filter(isSo))
      if (left.length > 0) this.#waiting.set(group, left)
      else this.#waiting.delete(group)
    }
    return taken
  }
}
