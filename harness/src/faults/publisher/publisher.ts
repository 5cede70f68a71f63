import { Program } from '../../support/program.ts'
import type { DialectName } from '../../support/workspaces.ts'
import type { Publish } from '../evidence.ts'

/** A workspace that is published to. */
export interface PublishedTo {
  readonly id: string
  readonly key: string
  readonly dialect: DialectName
}

export interface PublisherStart {
  /** Where the nodes listen, or will listen again. */
  readonly urls: readonly string[]
}

export type ToPublisher =
  | { readonly kind: 'publish'; readonly workspaces: readonly PublishedTo[]; readonly seed: number }
  | { readonly kind: 'finish' }

export interface PublisherReport {
  readonly publishes: readonly Publish[]
  /** Tries that were not answered, or with a 503. */
  readonly failedTries: number
  /** Answers that no publisher should ever get. */
  readonly surprises: readonly string[]
}

export type FromPublisher =
  | ({ readonly kind: 'finished' } & PublisherReport)
  | { readonly kind: 'publishing' }

/** A service that publishes to several workspaces whatever becomes of the nodes meanwhile; a process of its own. */
export class Publisher {
  readonly #program: Program<ToPublisher, FromPublisher>

  constructor(start: PublisherStart) {
    this.#program = new Program(new URL('./publisherProgram.ts', import.meta.url), start)
  }

  /** @param seed decides what is published how */
  async begin(workspaces: readonly PublishedTo[], seed: number): Promise<void> {
    await this.#program.ask({ kind: 'publish', workspaces, seed }, 'publishing')
  }

  /** Lets everything be acknowledged that can safely be repeated. */
  finish(): Promise<PublisherReport> {
    return this.#program.ask({ kind: 'finish' }, 'finished')
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }
}
