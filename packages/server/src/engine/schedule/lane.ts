import type { Line } from './line.ts'

/** Lines of one workspace that wait for their turn. */
interface Turn {
  readonly lines: Line[]
  readonly workspaceId: number
}

/**
 * Lines that wait for their turn. Workspaces take turns, and within one its webhooks: a workspace with thousands of
 * webhooks delays no other.
 */
export class Lane {
  readonly #turns: Turn[] = []
  readonly #byWorkspace = new Map<number, Turn>()

  get empty(): boolean {
    return this.#turns.length === 0
  }

  push(line: Line): void {
    this.#turnOf(line, 'last').lines.push(line)
  }

  /** Makes a line the next one. */
  unshift(line: Line): void {
    const turn = this.#turnOf(line, 'first')
    if (this.#turns[0] !== turn) {
      this.#turns.splice(this.#turns.indexOf(turn), 1)
      this.#turns.unshift(turn)
    }
    turn.lines.unshift(line)
  }

  shift(): Line | undefined {
    const turn = this.#turns.shift()
    if (turn === undefined) return undefined
    const line = turn.lines.shift()!
    if (turn.lines.length > 0) this.#turns.push(turn)
    else this.#byWorkspace.delete(turn.workspaceId)
    return line
  }

  remove(line: Line): void {
    const turn = this.#byWorkspace.get(line.workspaceId)!
    turn.lines.splice(turn.lines.indexOf(line), 1)
    if (turn.lines.length > 0) return
    this.#turns.splice(this.#turns.indexOf(turn), 1)
    this.#byWorkspace.delete(line.workspaceId)
  }

  #turnOf({ workspaceId }: Line, place: 'first' | 'last'): Turn {
    let turn = this.#byWorkspace.get(workspaceId)
    if (turn !== undefined) return turn
    turn = { lines: [], workspaceId }
    this.#byWorkspace.set(workspaceId, turn)
    if (place === 'last') this.#turns.push(turn)
    else this.#turns.unshift(turn)
    return turn
  }
}
