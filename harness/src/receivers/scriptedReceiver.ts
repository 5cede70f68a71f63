import type { SchemeName } from '@posthorn/receiver'
import { Program } from '../support/program.ts'
import { Turns } from '../support/turns.ts'
import type { Behavior } from './behavior.ts'
import type { Identity } from './certificate.ts'

/** One request as the receiver saw it. Times are Unix ms. */
export interface SeenRequest {
  /** The hook it came to. */
  readonly hook: string
  /** Including the part below the hook's path. */
  readonly path: string
  readonly eventId: string
  /** From the service's header, if it has one. */
  readonly deliveryId: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly seenAt: number
  /** When the answer was sent; `null` while it is pending, or when the connection broke before. */
  readonly answeredAt: number | null
  /** When the exchange ended for the receiver, answered or not; `null` while it is open. */
  readonly closedAt: number | null
  /** Of the answer; `null` when the sender cannot have received it. */
  readonly status: number | null
  /** Indexes of the hook's secrets that verify it. */
  readonly signedBy: readonly number[]
  /** The verification error; `null` when the request is genuine. */
  readonly forgery: string | null
}

/** A receiver URL for webhooks: its path, and every path below it. */
export interface Hook {
  /** One or more segments, with a leading slash. */
  readonly path: string
  readonly scheme: SchemeName
  readonly secrets: readonly string[]
  readonly behavior: Behavior
}

export interface ReceiverStart {
  /** Uses TLS if present. */
  readonly identity?: Identity
}

export type ToReceiver =
  | { readonly kind: 'hook'; readonly hook: Hook }
  | { readonly kind: 'secret'; readonly path: string; readonly secret: string }
  | { readonly kind: 'behave'; readonly path: string | null; readonly behavior: Behavior | null }
  | { readonly kind: 'report' }
  | { readonly kind: 'forget' }
  | { readonly kind: 'count' }

export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly requests: readonly SeenRequest[] }
  | { readonly kind: 'count'; readonly requests: number; readonly underWay: number }

/** A receiver in its own process: answers as scripted, records everything, verifies every request. */
export class ScriptedReceiver {
  readonly #program: Program<ToReceiver, FromReceiver>
  readonly #origin: string
  /** One question at a time, since answers have no ids. */
  readonly #turns = new Turns()

  private constructor(program: Program<ToReceiver, FromReceiver>, origin: string) {
    this.#program = program
    this.#origin = origin
  }

  static async start(start: ReceiverStart = {}): Promise<ScriptedReceiver> {
    const program = new Program<ToReceiver, FromReceiver>(
      new URL('./scriptedReceiverProgram.ts', import.meta.url),
      start,
    )
    const { port } = await program.next('listening')
    return new ScriptedReceiver(
      program,
      `${start.identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    )
  }

  urlOf(path: string): string {
    return `${this.#origin}${path}`
  }

  async add(hook: Hook): Promise<void> {
    await this.#ask({ kind: 'hook', hook }, 'done')
  }

  /** Adds a secret to the hook; earlier requests may be signed by it, too. */
  async addSecret(path: string, secret: string): Promise<void> {
    await this.#ask({ kind: 'secret', path, secret }, 'done')
  }

  /** Sets how a hook answers from now on. */
  async behave(path: string, behavior: Behavior): Promise<void> {
    await this.#ask({ kind: 'behave', path, behavior }, 'done')
  }

  /** Sets how every hook answers from now on; with `null`, each follows its script again. */
  async behaveAll(behavior: Behavior | null): Promise<void> {
    await this.#ask({ kind: 'behave', path: null, behavior }, 'done')
  }

  async requests(): Promise<readonly SeenRequest[]> {
    return (await this.#ask({ kind: 'report' }, 'report')).requests
  }

  /** Forgets all hooks and requests. */
  async forget(): Promise<void> {
    await this.#ask({ kind: 'forget' }, 'done')
  }

  /** Number of requests so far, and how many of them are still open. */
  async count(): Promise<{ readonly requests: number; readonly underWay: number }> {
    return this.#ask({ kind: 'count' }, 'count')
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }

  #ask<K extends FromReceiver['kind']>(question: ToReceiver, kind: K) {
    return this.#turns.take(() => this.#program.ask(question, kind))
  }
}
