import type { Clock } from '../../core/clock.ts'
import { StoreUnavailableError } from '../storage.ts'
import { NO_WORKSPACE } from '../workspaceOf.ts'

interface Calls {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Limits how many calls of one workspace run at a time, so that expensive reads leave connections to the others. Further calls
 * wait in order, and are rejected when they have waited too long.
 */
export class WorkspaceGate {
  readonly #most: number
  readonly #patienceMs: number
  readonly #clock: Pick<Clock, 'after'>
  readonly #calls = new Map<number, Calls>()

  constructor(params: {
    readonly most: number
    readonly patienceMs: number
    readonly clock: Pick<Clock, 'after'>
  }) {
    this.#most = params.most
    this.#patienceMs = params.patienceMs
    this.#clock = params.clock
  }

  /** @throws StoreUnavailableError (rejects) when the workspace's other calls take too long; whatever `work` throws */
  async run<T>(workspaceId: number, work: () => Promise<T>): Promise<T> {
    if (workspaceId === NO_WORKSPACE) return work()
    const calls = this.#callsOf(workspaceId)
    if (calls.running >= this.#most) await this.#turn(calls)
    else calls.running++
    try {
      return await work()
    } finally {
      const next = calls.waiting.shift()
      if (next !== undefined) next()
      else if (--calls.running === 0) this.#calls.delete(workspaceId)
    }
  }

  #callsOf(workspaceId: number): Calls {
    const calls = this.#calls.get(workspaceId) ?? { running: 0, waiting: [] }
    this.#calls.set(workspaceId, calls)
    return calls
  }

  /** A finished call passes its slot to the next. */
  #turn({ waiting }: Calls): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        timer.cancel()
        resolve()
      }
      const timer = this.#clock.after(this.#patienceMs, () => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(new StoreUnavailableError('too many other requests of this workspace are in progress'))
      })
      waiting.push(go)
    })
  }
}
