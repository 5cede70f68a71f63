import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { skewedBy } from '../../support/clockSkew.ts'
import { type Exit, type PosthornProcess, type Settings, spawnService } from '../../support/posthorn.ts'
import { Turns } from '../../support/turns.ts'
import { eventually, within } from '../../support/waiting.ts'
import type { Journal } from '../journal.ts'
import { LogReader } from './logReader.ts'

export interface NodeOptions {
  readonly name: string
  readonly port: number
  readonly dataDir: string
  readonly settings: Settings
  /** Directory of its log. */
  readonly logDirectory: string
  readonly journal: Journal
}

const UP_WITHIN_MS = 60_000
const START_AGAIN_AFTER_MS = 200
/** A start that fails this soon after a store outage is excused. */
const EXCUSED_MS = 3_000

/**
 * One node that is killed, frozen and stopped. If it exits on its own it is restarted, as by a supervisor.
 */
export class FaultNode {
  readonly name: string
  readonly url: string
  /** Faults that end, freeze or start the process run one after another. */
  readonly turns = new Turns()
  /** Offset of its wall clock from the next start on. */
  skewMs = 0
  readonly #options: NodeOptions
  readonly #logFile: string
  #process: PosthornProcess | null = null
  #isReady = false
  #runs = 0

  constructor(options: NodeOptions) {
    this.name = options.name
    this.url = `http://127.0.0.1:${options.port}`
    this.#options = options
    this.#logFile = path.join(options.logDirectory, `${options.name}.log`)
  }

  get isRunning(): boolean {
    return this.#process !== null
  }

  get pid(): number {
    return this.#process!.pid
  }

  /** Counts its processes, so that measurements of different processes are not compared. */
  get runs(): number {
    return this.#runs
  }

  start(): void {
    this.#runs += 1
    const { dataDir, port, settings, journal } = this.#options
    const log = new LogReader()
    const service = spawnService({
      dataDir,
      settings: {
        POSTHORN_PORT: String(port),
        ...settings,
        ...skewedBy(this.skewMs),
      },
      onOutput: (text) => {
        appendFileSync(this.#logFile, text)
        const { lapses, stalls } = log.read(text)
        const at = Date.now()
        for (const registration of lapses)
          journal.lapsed({ node: this.name, registration, at, inStart: !this.#isReady })
        for (const stallMs of stalls) journal.stalled(this.name, at - stallMs, at)
      },
    })
    this.#process = service
    this.#isReady = false
    service.ready().then(
      () => {
        this.#isReady ||= this.#process === service
      },
      () => undefined,
    )
    void service.exited.then((exit) => this.#ended(service, exit))
  }

  /** Resolves when it accepts events; if it ends before, waits for the next process. */
  async up(): Promise<void> {
    await eventually(() => (this.#isReady ? true : null), {
      withinMs: UP_WITHIN_MS,
      what: `start of ${this.name}`,
    })
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const service = this.#letGo()
    const at = Date.now()
    await service.kill()
    this.#options.journal.died({ node: this.name, cause: 'killed', at, goneAt: Date.now() })
  }

  /** SIGTERM; it must leave nothing behind, unless the store was away. */
  async stop(): Promise<void> {
    const { journal } = this.#options
    const service = this.#letGo()
    const at = Date.now()
    const storeWasAway = journal.wasSilentWithin(EXCUSED_MS)
    journal.note(`${this.name}: SIGTERM`)
    const exit = await service.stop()
    if (exit.code !== 0) journal.complain(`${this.name} ended with ${JSON.stringify(exit)} on SIGTERM`)
    if (storeWasAway || journal.wasSilentWithin(EXCUSED_MS))
      journal.died({ node: this.name, cause: 'stopped while the store was away', at, goneAt: Date.now() })
    else journal.note(`${this.name}: stopped within ${Date.now() - at} ms`)
  }

  freeze(): void {
    process.kill(this.pid, 'SIGSTOP')
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT')
  }

  /** Ends it for good, if it still runs. */
  async end(): Promise<void> {
    if (this.#process !== null) await this.#letGo().kill()
  }

  /** From here on it may end without a restart. */
  #letGo(): PosthornProcess {
    const service = this.#process
    if (service === null) throw new Error(`${this.name} does not run`)
    this.#process = null
    this.#isReady = false
    return service
  }

  async #ended(service: PosthornProcess, exit: Exit): Promise<void> {
    if (this.#process !== service) return
    const { journal } = this.#options
    const wasReady = this.#isReady
    this.#isReady = false
    const text = `exited on its own with ${JSON.stringify(exit)}`
    if (wasReady || !journal.wasSilentWithin(EXCUSED_MS)) journal.complain(`${this.name} ${text}`)
    const now = Date.now()
    journal.died({ node: this.name, cause: text, at: now, goneAt: now })
    await sleep(START_AGAIN_AFTER_MS)
    // A fault may have intervened.
    if (this.#process === service) this.start()
  }
}

/** Waits until all accept events. */
export async function allUp(nodes: readonly FaultNode[]): Promise<void> {
  await within(Promise.all(nodes.map((node) => node.up())), UP_WITHIN_MS, 'start of all nodes')
}
