import { Program } from '../support/program.ts'

/** Entities that producers change, each in one workspace. */
export interface Entity {
  readonly id: string
  /** As an outbox names it. */
  readonly workspace: string
}

export interface ProducerStart {
  /** Of the database with the outbox. */
  readonly url: string
  readonly entities: readonly Entity[]
  /** Concurrent transactions. */
  readonly connections: number
  /** Transactions started per second, over all connections; `null`: as many as possible. */
  readonly perSecond: number | null
  /** One in this many transactions is rolled back; `null`: none. */
  readonly rollBackEvery: number | null
}

type ToProducer = { readonly kind: 'finish' }

type FromProducer = { readonly kind: 'producing' } | { readonly kind: 'finished'; readonly committed: number }

/**
 * A process that changes entities and emits an event for each change, in one transaction. The event contains
 * {@link changeOf} and a word.
 */
export class Producer {
  readonly #program: Program<ToProducer, FromProducer>

  private constructor(program: Program<ToProducer, FromProducer>) {
    this.#program = program
  }

  static async start(start: ProducerStart): Promise<Producer> {
    const program = new Program<ToProducer, FromProducer>(
      new URL('./producerProgram.ts', import.meta.url),
      start,
    )
    await program.next('producing')
    return new Producer(program)
  }

  /** Ends running transactions. @returns the number of commits */
  async finish(): Promise<number> {
    const { committed } = await this.#program.ask({ kind: 'finish' }, 'finished')
    await this.#program.stop()
    return committed
  }

  /** SIGKILL. */
  kill(): Promise<void> {
    return this.#program.stop()
  }
}

/** Tables of producers, in addition to the outbox. */
export const PRODUCER_TABLES = 'CREATE TABLE entity (id uuid PRIMARY KEY, changes int NOT NULL DEFAULT 0)'

export type { FromProducer, ToProducer }

/** The words in payloads. The n-th change of an entity is `from`; `to` is the time of the emit. */
export const wordOfChange = (n: number): string => `change_${n}`
export const wordOfTime = (ms: number): string => `at_${ms}`
/** The value of `to` in an event of a transaction that is rolled back. */
export const ROLLED_BACK = 'rolled_back'

/** @param from of a payload */
export const changeOf = (from: string): number => Number(from.slice('change_'.length))
