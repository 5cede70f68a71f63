import type { Program } from '../../support/program.ts'
import type { Stage } from '../stage/stage.ts'
import {
  type FromRawSender,
  RAW_SENDER,
  type RawReport,
  type RawSenderStart,
  type ToRawSender,
} from './rawSender.ts'

/** Time for the program itself to end. */
const SPARE_MS = 30_000

/** A sender of raw requests in its own process, which sends from its start on. */
export class RawSender {
  readonly #program: Program<ToRawSender, FromRawSender>
  readonly #endWithinMs: number

  private constructor(program: Program<ToRawSender, FromRawSender>, endWithinMs: number) {
    this.#program = program
    this.#endWithinMs = endWithinMs
  }

  static async start(stage: Stage, start: RawSenderStart): Promise<RawSender> {
    const program = stage.start<ToRawSender, FromRawSender>(RAW_SENDER, start)
    await program.next('ready')
    return new RawSender(program, start.endWithinMs)
  }

  get pid(): number {
    return this.#program.pid
  }

  /** Stops sending. Resolves when all requests are answered or the final wait is over. */
  finish(): Promise<RawReport> {
    return this.#program.ask({ kind: 'finish' }, 'finished', this.#endWithinMs + SPARE_MS)
  }
}
