import type { Clock, Timer } from '../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { EgressAgent, Target } from '../egress/index.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { Warnings } from '../log/warnings.ts'
import { ask, type ToAsk } from './inquiry.ts'
import { KnownOrigins, type Origin, originToAsk } from './knownOrigins.ts'

const PROBE_TIMEOUT_MS = 10 * SECOND_MS
/** Of known origins, and of others. */
const ASKED_AT_MOST = 20
/** How often the store is asked for receivers, if too few are known. */
const LEARN_EVERY_MS = 10 * SECOND_MS
/** The same while nothing fails: origins that are known in advance make inquiries faster. */
const LEARN_IDLY_EVERY_MS = MINUTE_MS
/** The same after an error of the store. */
const LEARN_AGAIN_MS = SECOND_MS
/** How long an inquiry waits for the store. */
const LEARN_PATIENCE_MS = SECOND_MS / 2
/** Its name in the log. */
const LEARNING = 'read the receivers that answered recently'
/** Until the targets that the operator named have answered for the first time. */
const TRY_OPERATORS_EVERY_MS = MINUTE_MS

export interface WitnessesParams {
  readonly clock: Clock
  /** In [0, 1); decides which origins are probed. */
  readonly random: () => number
  readonly probe: EgressAgent['probe']
  /** The targets that the operator named for probes; `null`: none. */
  readonly operatorsTarget: Target | null
  /** Receivers that any node reached recently, according to the store. */
  readonly readReached: () => Promise<readonly Origin[]>
  /** Some receivers, reached or not. */
  readonly readAny: () => Promise<readonly Origin[]>
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly warnings: Warnings
}

/**
 * Chooses what to probe: receivers that answered recently on this node or, if it knows too few, on any node; and the targets
 * that the operator named. These count once they have answered, since a mistake in a name must not stop all sending.
 */
export class Witnesses {
  readonly #params: WitnessesParams
  readonly #origins = new KnownOrigins()
  #operatorsAnswered = false
  /** Whether the targets that the operator named are being probed for the first time. */
  #operatorsMayAnswer = false
  #tryAgain: Timer | null = null
  #learnAgain: Timer | null = null
  /** When the store was last asked; monotonic ms. */
  #learnedAt = Number.NEGATIVE_INFINITY
  #stopped = false

  constructor(params: WitnessesParams) {
    this.#params = params
  }

  /** Without receivers from the store, a node that starts while the network is down could not find out. */
  async start(): Promise<void> {
    const { operatorsTarget } = this.#params
    this.#operatorsMayAnswer = operatorsTarget !== null
    await this.#learn()
    this.#learnIdly()
    if (operatorsTarget !== null) void this.#tryOperators(operatorsTarget)
  }

  stop(): void {
    this.#stopped = true
    this.#tryAgain?.cancel()
    this.#learnAgain?.cancel()
  }

  /** @param at monotonic ms */
  answered(origin: Origin, at: number): void {
    this.#origins.answered(origin, at)
  }

  /** @param name key of its origin */
  failed(name: string): void {
    this.#origins.failed(name)
  }

  /** Whether there are, or may be, enough origins to prove that the network is down. */
  get mayTell(): boolean {
    return this.#operatorsAnswered || this.#operatorsMayAnswer || this.#knowsEnough || this.#mayLearn
  }

  /**
   * The origins that the operator named come first.
   * @param instead asked if no receiver is known to answer: it may show a fault of our own
   */
  async some(instead: Origin | undefined): Promise<ToAsk[]> {
    if (!this.#knowsEnough && this.#mayLearn) await this.#learnSoon()
    const known = this.#known
    const asked = known.length > 0 || instead === undefined ? known : [originToAsk(instead)]
    return [...this.#named, ...asked]
  }

  /**
   * More origins to ask when none of the known ones can be reached: these may be gone for good, so receivers that never
   * answered are asked too. Empty if the store was asked a moment ago.
   */
  async others(): Promise<ToAsk[]> {
    const { clock, readAny, failureLog } = this.#params
    if (!this.#mayLearn) return []
    this.#learnedAt = clock.monotonic()
    let any: readonly Origin[] = []
    try {
      any = await readAny()
      failureLog.worked(LEARNING)
    } catch (error) {
      failureLog.failed(LEARNING, error)
    }
    const known = this.#known
    const names = new Set(known.map(({ name }) => name))
    const unknown = any
      .map(originToAsk)
      .filter(({ name }) => !names.has(name) && names.add(name) !== undefined)
    return [...this.#named, ...known, ...unknown.slice(0, ASKED_AT_MOST)]
  }

  get #known(): ToAsk[] {
    const { clock, random } = this.#params
    return this.#origins.some(ASKED_AT_MOST, clock.monotonic(), random)
  }

  /** The targets that the operator named, once they have answered. */
  get #named(): ToAsk[] {
    return this.#operatorsAnswered ? [operatorsToAsk(this.#params.operatorsTarget!)] : []
  }

  get #knowsEnough(): boolean {
    return this.#origins.mayTell(this.#params.clock.monotonic())
  }

  /** Limits how often the store is asked. */
  get #mayLearn(): boolean {
    return this.#params.clock.monotonic() - this.#learnedAt >= LEARN_EVERY_MS
  }

  /** A slow store must not delay the verdict: late rows serve the next inquiry. */
  async #learnSoon(): Promise<void> {
    await new Promise<void>((resolve) => {
      const patience = this.#params.clock.after(LEARN_PATIENCE_MS, resolve)
      void this.#learn().then(() => {
        patience.cancel()
        resolve()
      })
    })
  }

  #learnIdly(): void {
    if (this.#stopped) return
    this.#learnAgain = this.#params.clock.after(LEARN_IDLY_EVERY_MS, async () => {
      if (!this.#knowsEnough && this.#mayLearn) await this.#learn()
      this.#learnIdly()
    })
  }

  async #learn(): Promise<void> {
    const { clock, readReached, failureLog } = this.#params
    this.#learnedAt = clock.monotonic()
    try {
      for (const origin of await readReached()) this.answered(origin, clock.monotonic())
      failureLog.worked(LEARNING)
    } catch (error) {
      this.#learnedAt -= LEARN_EVERY_MS - LEARN_AGAIN_MS
      failureLog.failed(LEARNING, error)
    }
  }

  async #tryOperators(target: Target): Promise<void> {
    const { clock, probe, warnings, log } = this.#params
    const { fault } = await ask(probe, operatorsToAsk(target), PROBE_TIMEOUT_MS)
    if (this.#stopped) return
    this.#operatorsMayAnswer = false
    this.#operatorsAnswered = fault === null
    if (fault === null) {
      warnings.withdraw('egress_probe_away')
      return
    }
    if (!warnings.list().some(({ code }) => code === 'egress_probe_away')) {
      const text = `POSTHORN_EGRESS_PROBE: cannot connect to ${target.host} (${fault}). Check the name and the port. Until it answers, this node checks its network only with receivers.`
      log.warn({ probe: target.host, fault }, text)
      warnings.give({ code: 'egress_probe_away', text, since: clock.now() })
    }
    this.#tryAgain = clock.after(TRY_OPERATORS_EVERY_MS, () => void this.#tryOperators(target))
  }
}

const operatorsToAsk = (target: Target): ToAsk => ({ name: target.host, target, workspaceIds: null })
