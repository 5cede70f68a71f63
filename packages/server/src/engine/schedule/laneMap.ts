import type { WebhookRef } from '../../storage/rows.ts'
import { Lane, WorkspaceLanes } from './lane.ts'

/** Beyond this, idle lanes are forgotten, the oldest first. Their receivers count as unknown again. */
const MAX_LANES = 100_000
/** How many lanes are looked at to find an idle one. */
const FORGET_STEPS = 8

/** Finds lanes by webhook, and creates and forgets them. */
export class LaneMap {
  readonly #lanes = new Map<number, Lane>()
  readonly #workspaces = new Map<number, WorkspaceLanes>()

  get size(): number {
    return this.#lanes.size
  }

  all(): Iterable<Lane> {
    return this.#lanes.values()
  }

  find(webhookId: number): Lane | undefined {
    return this.#lanes.get(webhookId)
  }

  of({ webhookId, workspaceId }: WebhookRef): Lane {
    return this.#lanes.get(webhookId) ?? this.#create(webhookId, workspaceId)
  }

  findWorkspace(workspaceId: number): WorkspaceLanes | undefined {
    return this.#workspaces.get(workspaceId)
  }

  workspace(workspaceId: number): WorkspaceLanes {
    let workspace = this.#workspaces.get(workspaceId)
    if (workspace === undefined) {
      workspace = new WorkspaceLanes(workspaceId)
      this.#workspaces.set(workspaceId, workspace)
    }
    return workspace
  }

  forgetIfEmpty({ workspaceId, lanes, memory }: WorkspaceLanes): void {
    if (lanes === 0 && memory.promised === 0) this.#workspaces.delete(workspaceId)
  }

  #create(webhookId: number, workspaceId: number): Lane {
    if (this.#lanes.size >= MAX_LANES) this.#forgetOne()
    const workspace = this.workspace(workspaceId)
    const lane = new Lane(webhookId, workspace)
    workspace.lanes++
    this.#lanes.set(webhookId, lane)
    return lane
  }

  /** Lanes in use that stand among the oldest go to the end, so that each call finds an idle one soon. */
  #forgetOne(): void {
    let steps = FORGET_STEPS
    for (const [webhookId, lane] of this.#lanes) {
      this.#lanes.delete(webhookId)
      if (lane.idle) {
        lane.workspace.lanes--
        this.forgetIfEmpty(lane.workspace)
        return
      }
      this.#lanes.set(webhookId, lane)
      if (--steps === 0) return
    }
  }
}
