import type { Program } from '../../support/program.ts'
import type { Stage } from '../stage/stage.ts'
import {
  type FromRawSender,
  RAW_SENDER,
  type RawReport,
  type RawSenderStart,
  type ToRawSender,
} from './rawSender.ts'

/** For the program itself to come to its end. */
const SPARE_MS = 30_000

/** A sender of raw requests in a process of its own, which sends from its start on. */
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

  /** Sends nothing more. Resolves when all is answered, or has had its time for it. */
  finish(): Promise<RawReport> {
    return this.#program.ask({ kind: 'finish' }, 'finished', this.#endWithinMs + SPARE_MS)
  }
}
