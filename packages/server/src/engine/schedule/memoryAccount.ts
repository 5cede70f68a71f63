import { isFull, laneLimit, laneRoom, type Memory, publishRoom, type Trust } from './admission.ts'
import type { Lane, WorkspaceLanes } from './lane.ts'
import type { LaneMap } from './laneMap.ts'

const NOTHING: Memory = { fast: 0, unproven: 0, promised: 0 }

/** What waits in memory, of the node and of each workspace, and what more may. */
export class MemoryAccount {
  readonly #map: LaneMap
  readonly #totals: Memory = { ...NOTHING }
  /** Lanes for which something waits. */
  readonly #lanes = new Set<Lane>()
  /** Workspaces for which something waits, or did when last looked at. */
  readonly #workspaces = new Set<WorkspaceLanes>()
  #waiting = 0

  constructor(map: LaneMap) {
    this.#map = map
  }

  /** Deliveries that wait. */
  get waiting(): number {
    return this.#waiting
  }

  get totals(): Readonly<Memory> {
    return this.#totals
  }

  /** Lanes for which something waits. */
  get lanes(): Iterable<Lane> {
    return this.#lanes
  }

  /** Counts deliveries that came to a lane or left it. */
  count(lane: Lane, count: number, weight: number): void {
    const { trust, workspace } = lane
    this.#waiting += count
    this.#totals[trust] += weight
    workspace.memory[trust] += weight
    if (lane.waiting > 0) this.#lanes.add(lane)
    else this.#lanes.delete(lane)
    if (count > 0) this.#workspaces.add(workspace)
  }

  /** Adds or removes all that waits in a lane where sums are kept by trust: before and after its trust changes. */
  countTrust({ workspace, trust, weight }: Lane, sign: 1 | -1): void {
    this.#totals[trust] += sign * weight
    workspace.memory[trust] += sign * weight
  }

  /** Sets memory aside for a publish that is under way. @param count negative when the publish has ended */
  promise(workspaceId: number, count: number): void {
    const workspace = this.#map.workspace(workspaceId)
    this.#totals.promised += count
    workspace.memory.promised += count
    this.#map.forgetIfEmpty(workspace)
  }

  /** Room for what a workspace publishes. */
  publishRoomOf(workspaceId: number): number {
    return publishRoom(this.#totals, this.#map.findWorkspace(workspaceId)?.memory ?? NOTHING)
  }

  /** How many deliveries a lane may take now. */
  roomIn(lane: Lane): number {
    return laneRoom(lane, lane.workspace.memory, this.#totals)
  }

  /** Lanes for which nothing is claimed, since enough waits. @param unproven the weight that is enough in an unproven lane */
  *withEnough(unproven: number): Iterable<Lane> {
    const fast = laneLimit(this.#totals, 'fast')
    for (const lane of this.#lanes)
      if (lane.weight >= (lane.speed === 'fast' ? fast : unproven) || lane.limiter?.hasEnough(lane.waiting))
        yield lane
  }

  /** Workspaces that have so much in memory that nothing more is claimed for them: others would find no room. */
  fullWorkspaces(trust: Trust): number[] {
    const full: number[] = []
    for (const workspace of this.#workspaces) {
      const { memory, workspaceId } = workspace
      workspace.full[trust] = isFull(memory, this.#totals, trust, workspace.full[trust])
      if (workspace.full[trust]) full.push(workspaceId)
      if (memory.fast + memory.unproven > 0) continue
      workspace.full.fast = workspace.full.unproven = false
      this.#workspaces.delete(workspace)
    }
    return full
  }

  /** Whether nothing more was claimed for a workspace when last looked at. */
  isFull(workspaceId: number, trust: Trust): boolean {
    return this.#map.findWorkspace(workspaceId)?.full[trust] ?? false
  }

  /** Whether a workspace was full when last looked at and has room again since. */
  hasRoomAgain({ memory, full }: WorkspaceLanes, trust: Trust): boolean {
    if (!full[trust] || isFull(memory, this.#totals, trust, true)) return false
    full[trust] = false
    return true
  }
}
