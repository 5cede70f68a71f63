/**
 * What waits to be done, by group, such as a workspace. Groups take turns, so that a group with much waiting delays the
 * next of each other group by a single piece of work.
 */
export class Turns<T, Group = number> {
  /** In the order of turns. */
  readonly #waiting = new Map<Group, T[]>()

  get empty(): boolean {
    return this.#waiting.size === 0
  }

  add(group: Group, one: T): void {
    const waiting = this.#waiting.get(group)
    if (waiting === undefined) this.#waiting.set(group, [one])
    else waiting.push(one)
  }

  /** What {@link next} would take. */
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

  /** Takes all that match, out of turn. */
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
