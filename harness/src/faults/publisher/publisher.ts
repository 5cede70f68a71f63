import { Program } from '../../support/program.ts'
import type { DialectName } from '../../support/workspaces.ts'
import type { Publish } from '../evidence.ts'

/** A workspace that gets events. */
export interface PublishedTo {
  readonly id: string
  readonly key: string
  readonly dialect: DialectName
}

export interface PublisherStart {
  /** URLs where the nodes listen, or will listen again. */
  readonly urls: readonly string[]
}

export type ToPublisher =
  | { readonly kind: 'publish'; readonly workspaces: readonly PublishedTo[]; readonly seed: number }
  | { readonly kind: 'finish' }

export interface PublisherReport {
  readonly publishes: readonly Publish[]
  /** Tries without an answer, or with a 503. */
  readonly failedTries: number
  /** Answers that no publisher should ever get. */
  readonly surprises: readonly string[]
}

export type FromPublisher =
  | ({ readonly kind: 'finished' } & PublisherReport)
  | { readonly kind: 'publishing' }

/** A service in its own process that publishes to several workspaces, whatever happens to the nodes. */
export class Publisher {
  readonly #program: Program<ToPublisher, FromPublisher>

  constructor(start: PublisherStart) {
    this.#program = new Program(new URL('./publisherProgram.ts', import.meta.url), start)
  }

  /** @param seed decides what is published and how */
  async begin(workspaces: readonly PublishedTo[], seed: number): Promise<void> {
    await this.#program.ask({ kind: 'publish', workspaces, seed }, 'publishing')
  }

  /** Waits until everything that can safely be repeated is acknowledged. */
  finish(): Promise<PublisherReport> {
    return this.#program.ask({ kind: 'finish' }, 'finished')
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }
}
