import type { Clock, Timer } from '../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { EgressAgent, Target } from '../egress/index.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { Warnings } from '../log/warnings.ts'
import { ask, receiverToAsk, type ToAsk } from './inquiry.ts'
import { KnownOrigins, type Origin } from './knownOrigins.ts'

const PROBE_TIMEOUT_MS = 1_500
/** How often the store is asked for receivers, where too few are known. */
const LEARN_EVERY_MS = 10 * SECOND_MS
/** How long a question waits for the store's answer. */
const LEARN_PATIENCE_MS = SECOND_MS / 2
/** Its name in the log. */
const LEARNING = 'read receivers that were reached lately'
/** Until what the operator named has answered for the first time. */
const TRY_OPERATORS_EVERY_MS = MINUTE_MS

export interface WitnessesParams {
  readonly clock: Clock
  /** In [0, 1); decides who is asked. */
  readonly random: () => number
  readonly probe: EgressAgent['probe']
  /** What the operator named to be asked; `null`: nothing. */
  readonly operatorsTarget: Target | null
  /** Receivers that any node reached lately, as the store knows them. */
  readonly readReached: () => Promise<readonly Origin[]>
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly warnings: Warnings
}

/**
 * Whom to ask whether our way out is open: receivers that answered lately, here or, where this node knows too few, anywhere; and what the
 * operator named. That counts once it has answered, since a mistake in its name must not hold all sending.
 */
export class Witnesses {
  readonly #params: WitnessesParams
  readonly #origins = new KnownOrigins()
  #operatorsAnswered = false
  #tryAgain: Timer | null = null
  /** When the store was last asked; monotonic ms. */
  #learnedAt = Number.NEGATIVE_INFINITY
  #stopped = false

  constructor(params: WitnessesParams) {
    this.#params = params
  }

  /** Without receivers that were reached before, a node that starts while its way out is closed could not tell. */
  async start(): Promise<void> {
    await this.#learn()
    const { operatorsTarget } = this.#params
    if (operatorsTarget !== null) void this.#tryOperators(operatorsTarget)
  }

  stop(): void {
    this.#stopped = true
    this.#tryAgain?.cancel()
  }

  answered(origin: Origin): void {
    this.#origins.answered(origin, this.#params.clock.monotonic())
  }

  failed(origin: Origin): void {
    this.#origins.failed(origin)
  }

  /** Whether there are, or may be, enough of them to show that the way is closed. */
  get mayTell(): boolean {
    return this.#operatorsAnswered || this.#origins.mayTell || this.#mayLearn
  }

  /**
   * What the operator named comes first.
   * @param instead asked where nobody is known: it may show a fault of our own
   */
  async some(count: number, instead: Origin | undefined): Promise<ToAsk[]> {
    if (!this.#origins.mayTell && this.#mayLearn) await this.#learnSoon()
    const { clock, random, operatorsTarget } = this.#params
    const known = this.#origins.some(count, clock.monotonic(), random)
    const origins = known.length > 0 || instead === undefined ? known : [instead]
    const named = this.#operatorsAnswered ? [{ target: operatorsTarget!, workspaceId: null }] : []
    return [...named, ...origins.map(receiverToAsk)]
  }

  /** The store is asked now and then. */
  get #mayLearn(): boolean {
    return this.#params.clock.monotonic() - this.#learnedAt >= LEARN_EVERY_MS
  }

  /** A slow store must not delay the answer: what comes later serves the next question. */
  async #learnSoon(): Promise<void> {
    await new Promise<void>((resolve) => {
      const patience = this.#params.clock.after(LEARN_PATIENCE_MS, resolve)
      void this.#learn().then(() => {
        patience.cancel()
        resolve()
      })
    })
  }

  async #learn(): Promise<void> {
    const { clock, readReached, failureLog } = this.#params
    this.#learnedAt = clock.monotonic()
    try {
      for (const origin of await readReached()) this.answered(origin)
      failureLog.worked(LEARNING)
    } catch (error) {
      failureLog.failed(LEARNING, error)
    }
  }

  async #tryOperators(target: Target): Promise<void> {
    const { clock, probe, warnings, log } = this.#params
    const { fault } = await ask(probe, { target, workspaceId: null }, PROBE_TIMEOUT_MS)
    if (this.#stopped) return
    this.#operatorsAnswered = fault === null
    if (fault === null) {
      warnings.withdraw('egress_probe_away')
      return
    }
    if (!warnings.list().some(({ code }) => code === 'egress_probe_away')) {
      const text = `POSTHORN_EGRESS_PROBE: cannot connect to ${target.host} (${fault}). Check the name and the port. Until it answers, only receivers tell whether this node can reach the network.`
      log.warn({ probe: target.host, fault }, text)
      warnings.give({ code: 'egress_probe_away', text, since: clock.now() })
    }
    this.#tryAgain = clock.after(TRY_OPERATORS_EVERY_MS, () => void this.#tryOperators(target))
  }
}
