/**
 * What waits to be done, by workspace. Workspaces take turns, so that whoever has much waiting delays the next of each
 * other one by a single piece of work.
 */
export class Turns<T> {
  /** In the order of turns. */
  readonly #waiting = new Map<number, T[]>()

  get empty(): boolean {
    return this.#waiting.size === 0
  }

  /** @param workspaceId 0: of no workspace alone */
  add(workspaceId: number, one: T): void {
    const waiting = this.#waiting.get(workspaceId)
    if (waiting === undefined) this.#waiting.set(workspaceId, [one])
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
    const [workspaceId, waiting] = turn
    const one = waiting.shift()
    this.#waiting.delete(workspaceId)
    if (waiting.length > 0) this.#waiting.set(workspaceId, waiting)
    return one
  }

  /** Takes all that are so, whosever turn it is. */
  takeAll(isSo: (one: T) => boolean): T[] {
    const taken: T[] = []
    for (const [workspaceId, waiting] of this.#waiting) {
      const left = waiting.filter((one) => !isSo(one))
      taken.push(...waiting.filter(isSo))
      if (left.length > 0) this.#waiting.set(workspaceId, left)
      else this.#waiting.delete(workspaceId)
    }
    return taken
  }
}
