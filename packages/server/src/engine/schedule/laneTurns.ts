import type { ReceiverSpeed } from './admission.ts'
import type { Lane, WorkspaceLanes } from './lane.ts'

/**
 * Lanes of one speed that wait for their turn. Workspaces take turns, and within one its lanes: a workspace with
 * thousands of webhooks delays no other.
 */
export class LaneTurns {
  readonly #speed: ReceiverSpeed
  readonly #workspaces: WorkspaceLanes[] = []

  constructor(speed: ReceiverSpeed) {
    this.#speed = speed
  }

  get empty(): boolean {
    return this.#workspaces.length === 0
  }

  push(lane: Lane): void {
    const lanes = this.#lanesOf(lane)
    if (lanes.length === 0) this.#workspaces.push(lane.workspace)
    lanes.push(lane)
    lane.queued = true
  }

  /** Makes a lane the next one. */
  unshift(lane: Lane): void {
    const lanes = this.#lanesOf(lane)
    if (this.#workspaces[0] !== lane.workspace) {
      if (lanes.length > 0) this.#workspaces.splice(this.#workspaces.indexOf(lane.workspace), 1)
      this.#workspaces.unshift(lane.workspace)
    }
    lanes.unshift(lane)
    lane.queued = true
  }

  shift(): Lane | undefined {
    const workspace = this.#workspaces.shift()
    if (workspace === undefined) return undefined
    const lanes = workspace.queued[this.#speed]
    const lane = lanes.shift()!
    if (lanes.length > 0) this.#workspaces.push(workspace)
    lane.queued = false
    return lane
  }

  remove(lane: Lane): void {
    const lanes = this.#lanesOf(lane)
    lanes.splice(lanes.indexOf(lane), 1)
    if (lanes.length === 0) this.#workspaces.splice(this.#workspaces.indexOf(lane.workspace), 1)
    lane.queued = false
  }

  #lanesOf({ workspace }: Lane): Lane[] {
    return workspace.queued[this.#speed]
  }
}
