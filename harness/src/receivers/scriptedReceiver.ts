import type { SchemeName } from '@posthorn/receiver'
import { Program } from '../support/program.ts'
import type { Behaviour } from './behaviour.ts'
import type { Identity } from './certificate.ts'

/** One request as the receiver saw it. Times are Unix ms. */
export interface SeenRequest {
  /** The hook it came to. */
  readonly path: string
  readonly eventId: string
  /** The header of the dialect that has one. */
  readonly deliveryId: string | null
  readonly seenAt: number
  /** When the answer was handed to the network; `null` while it is out, or when the connection broke before. */
  answeredAt: number | null
  /** `null` when the receiver hung up. */
  status: number | null
  /** What verification said; `null` when the request is genuine. */
  readonly forgery: string | null
  readonly bodyHash: string
}

/** A URL of the receiver that webhooks can have. */
export interface Hook {
  readonly path: string
  readonly scheme: SchemeName
  readonly secret: string
  readonly behaviour: Behaviour
}

export interface ReceiverStart {
  /** Present: speaks TLS. */
  readonly identity?: Identity
}

export type ToReceiver =
  | { readonly kind: 'hook'; readonly hook: Hook }
  | { readonly kind: 'report' }
  | { readonly kind: 'count' }

export type FromReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'hooked' }
  | { readonly kind: 'report'; readonly requests: readonly SeenRequest[] }
  | { readonly kind: 'count'; readonly requests: number; readonly underWay: number }

/** A receiver in a process of its own: verifies every request, answers as scripted, remembers all. */
export class ScriptedReceiver {
  readonly #program: Program<ToReceiver, FromReceiver>
  readonly #origin: string

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
    await this.#program.ask({ kind: 'hook', hook }, 'hooked')
  }

  async requests(): Promise<readonly SeenRequest[]> {
    return (await this.#program.ask({ kind: 'report' }, 'report')).requests
  }

  /** Requests seen so far, and those among them that are not answered yet. */
  async count(): Promise<{ readonly requests: number; readonly underWay: number }> {
    return this.#program.ask({ kind: 'count' }, 'count')
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }
}
