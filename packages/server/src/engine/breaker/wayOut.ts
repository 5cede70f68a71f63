import type { Clock } from '../../core/clock.ts'
import type { Storage } from '../../storage/storage.ts'
import type { EgressAgent, Target } from '../egress/index.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Breaker, type BreakerParams } from './breaker.ts'
import { LoopWatch } from './loopWatch.ts'
import { OpenNotes } from './openNotes.ts'
import { anyReceivers, receiversReached } from './receiversReached.ts'
import { Witnesses } from './witnesses.ts'

interface WayOutParams
  extends Omit<BreakerParams, 'probe' | 'witnesses' | 'clockWatch' | 'loopWatch' | 'notes'> {
  readonly storage: Storage['egress']
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  readonly failureLog: FailureLog
  readonly clockWatch: BreakerParams['clockWatch'] & ConstructorParameters<typeof OpenNotes>[0]['clockWatch']
  /** Makes connections the way senders do. */
  readonly prober: Pick<EgressAgent, 'probe'>
  /** The targets that the operator named for probes; `null`: none. */
  readonly operatorsTarget: Target | null
  /** Counts due deliveries. */
  readonly countDue: () => Promise<number>
}

/** This node's network access: the parts that find out whether it works. */
export class WayOut {
  readonly breaker: Breaker
  readonly notes: OpenNotes
  readonly #witnesses: Witnesses
  readonly #loopWatch: LoopWatch
  #stopped = false

  constructor(params: WayOutParams) {
    const { storage, clock, log, prober, onHeld } = params
    const probe: EgressAgent['probe'] = (...args) => prober.probe(...args)
    this.#loopWatch = new LoopWatch(clock, log)
    this.#witnesses = new Witnesses({
      ...params,
      probe,
      readReached: () => receiversReached(storage, clock),
      readAny: () => anyReceivers(storage),
    })
    this.notes = new OpenNotes({ ...params, heldSince: () => this.breaker.heldSince })
    this.breaker = new Breaker({
      ...params,
      probe,
      witnesses: this.#witnesses,
      loopWatch: this.#loopWatch,
      notes: this.notes,
      onHeld: () => {
        onHeld()
        this.notes.held()
      },
    })
  }

  async start(): Promise<void> {
    this.#loopWatch.start()
    // Before the first note, which ends an outage: the search for receivers that others reached depends on the time of the last
    // note.
    await this.#witnesses.start()
    void this.#noteOnceOpen()
  }

  /** A node that restarts repeatedly while the network is down must not note that it can send. */
  async #noteOnceOpen(): Promise<void> {
    await this.breaker.start()
    if (!this.#stopped) this.notes.start()
  }

  /** Stops the notes; failures are still judged. */
  async stopNoting(): Promise<void> {
    this.#stopped = true
    await this.notes.stop()
  }

  stop(): void {
    this.breaker.stop()
    this.#witnesses.stop()
    this.#loopWatch.stop()
  }
}
