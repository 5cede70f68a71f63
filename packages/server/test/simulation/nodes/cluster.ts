import type { Engine } from '../../../src/engine/engine.ts'
import type { ClockError } from '../clock/machineClock.ts'
import type { VirtualClock } from '../clock/virtualClock.ts'
import type { Receivers } from '../receivers/receivers.ts'
import type { Trace } from '../trace.ts'
import { type EngineSettings, engineOf } from './engineOf.ts'
import { type ClockKind, Process } from './process.ts'
import type { StoreLinks } from './storeLink.ts'

/** A supervisor starts a process again this long after its start failed. */
const START_AGAIN_MS = 1_000

export interface ClusterParams {
  readonly clock: VirtualClock
  readonly kind: ClockKind
  readonly settings: EngineSettings
  readonly links: StoreLinks
  readonly receivers: Receivers
  readonly trace: Trace
  /** Random numbers of one process, determined by its number. */
  readonly randomOf: (process: number) => () => number
  readonly onComplaint: (message: string) => void
  /** How long a node is down after its process was killed. */
  readonly awayMs: (process: number) => number
}

/** Nodes on one store, each with one process at a time. */
export class Cluster {
  readonly #params: ClusterParams
  readonly #processes: Process[] = []
  /** By node; absent: none runs. */
  readonly #running = new Map<number, Process>()
  /** By node. */
  readonly #clockErrors = new Map<number, ClockError>()
  #ending = false

  constructor(params: ClusterParams) {
    this.#params = params
  }

  /** Processes that have started and take work. */
  get living(): readonly Process[] {
    return [...this.#running.values()].sort((a, b) => a.node - b.node)
  }

  /** The process of a node, if one runs. */
  on(node: number): Process | undefined {
    return this.#running.get(node)
  }

  get engine(): Engine {
    return this.living[0]!.engine
  }

  /** Starts a process on a node, repeatedly until the store accepts it. */
  async start(node: number): Promise<void> {
    if (this.#ending) return
    const { clock, kind, settings, links, receivers, trace, randomOf, onComplaint } = this.#params
    const process = new Process(clock, kind, {
      number: this.#processes.length + 1,
      node,
      clockError: this.#clockErrorOf(node),
    })
    this.#processes.push(process)
    trace.note({ kind: 'started', process: process.number, node })
    process.engine = engineOf({
      process,
      storage: links.linkOf(process),
      agent: receivers.agentOf(process),
      settings,
      random: randomOf(process.number),
      onComplaint: (message) => {
        if (process.alive) onComplaint(message)
      },
    })
    try {
      await Promise.race([process.engine.start(), process.died])
    } catch {
      // It ends, as a service without a store does.
      this.#end(process, START_AGAIN_MS)
    }
    if (process.alive) this.#running.set(node, process)
  }

  /** Sets the clocks of these nodes, whether or not a process runs on them. */
  setClocks(nodes: readonly number[], byMs: number): void {
    for (const node of nodes) this.#clockErrorOf(node).aheadMs += byMs
  }

  /** Kills a process at any moment. Its node starts another one later. */
  kill(process: Process): void {
    this.#end(process, this.#params.awayMs(process.number))
  }

  /** The process with this number, if it lives. */
  byNumber(number: number): Process | undefined {
    const process = this.#processes[number - 1]
    return process?.alive === true ? process : undefined
  }

  /** Stops a process as an operator does, and starts another one on its node. */
  async restart(process: Process): Promise<void> {
    if (this.#running.get(process.node) !== process) return
    await this.#stop(process)
    await this.start(process.node)
  }

  /** Stops all processes for good. */
  async stop(): Promise<void> {
    this.#ending = true
    await Promise.all(this.living.map((process) => this.#stop(process)))
  }

  #clockErrorOf(node: number): ClockError {
    const known = this.#clockErrors.get(node) ?? { aheadMs: 0 }
    this.#clockErrors.set(node, known)
    return known
  }

  async #stop(process: Process): Promise<void> {
    this.#running.delete(process.node)
    await Promise.race([process.engine.stop(), process.died])
    if (!process.alive) return
    process.kill()
    this.#params.trace.note({ kind: 'ended', process: process.number, how: 'stopped' })
  }

  #end(process: Process, awayMs: number): void {
    if (!process.alive) return
    const { clock, trace } = this.#params
    process.kill()
    trace.note({ kind: 'ended', process: process.number, how: 'killed' })
    if (this.#running.get(process.node) === process) this.#running.delete(process.node)
    clock.after(awayMs, () => void this.start(process.node))
  }
}
