import type { SchemeName } from '@posthorn/receiver'
import { Program } from '../support/program.ts'
import { Turns } from '../support/turns.ts'
import type { Behaviour } from './behaviour.ts'
import type { Identity } from './certificate.ts'

/** One request as the receiver saw it. Times are Unix ms. */
export interface SeenRequest {
  /** The hook it came to. */
  readonly hook: string
  /** With what stands behind the hook. */
  readonly path: string
  readonly eventId: string
  /** The header of the dialect that has one. */
  readonly deliveryId: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly seenAt: number
  /** When the answer was handed to the network; `null` while it is out, or when the connection broke before. */
  readonly answeredAt: number | null
  /** When the exchange was over for the receiver, answered or not; `null` while it is open. */
  readonly closedAt: number | null
  /** Of the answer; `null` when the sender cannot have got one. */
  readonly status: number | null
  /** Positions of the hook's secrets under which it verifies. */
  readonly signedBy: readonly number[]
  /** What verification said; `null` when the request is genuine. */
  readonly forgery: string | null
}

/** A URL of the receiver that webhooks can have: its path, and every path below it. */
export interface Hook {
  /** One segment or more, with a slash in front. */
  readonly path: string
  readonly scheme: SchemeName
  readonly secrets: readonly string[]
  readonly behaviour: Behaviour
}

export interface ReceiverStart {
  /** Present: speaks TLS. */
  readonly identity?: Identity
}

export type ToReceiver =
  | { readonly kind: 'hook'; readonly hook: Hook }
  | { readonly kind: 'secret'; readonly path: string; readonly secret: string }
  | { readonly kind: 'behave'; readonly path: string | null; readonly behaviour: Behaviour | null }
  | { readonly kind: 'report' }
  | { readonly kind: 'forget' }
  | { readonly kind: 'count' }

export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly requests: readonly SeenRequest[] }
  | { readonly kind: 'count'; readonly requests: number; readonly underWay: number }

/** A receiver in a process of its own: answers as scripted, remembers all, verifies every request. */
export class ScriptedReceiver {
  readonly #program: Program<ToReceiver, FromReceiver>
  readonly #origin: string
  /** One question at a time: answers carry no number. */
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

  /** The hook has one more secret; what came before counts as signed by it, too. */
  async addSecret(path: string, secret: string): Promise<void> {
    await this.#ask({ kind: 'secret', path, secret }, 'done')
  }

  /** From now on a hook answers like this. */
  async behave(path: string, behaviour: Behaviour): Promise<void> {
    await this.#ask({ kind: 'behave', path, behaviour }, 'done')
  }

  /** From now on every hook answers like this; with `null`, each as it is scripted again. */
  async behaveAll(behaviour: Behaviour | null): Promise<void> {
    await this.#ask({ kind: 'behave', path: null, behaviour }, 'done')
  }

  async requests(): Promise<readonly SeenRequest[]> {
    return (await this.#ask({ kind: 'report' }, 'report')).requests
  }

  /** Forgets all hooks and requests. */
  async forget(): Promise<void> {
    await this.#ask({ kind: 'forget' }, 'done')
  }

  /** Requests seen so far, and those among them that are not over yet. */
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
