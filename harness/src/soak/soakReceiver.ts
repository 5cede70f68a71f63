import type { Behavior } from '../receivers/behavior.ts'
import { makeLoopbackIdentity } from '../receivers/certificate.ts'
import { Program } from '../support/program.ts'
import { Turns } from '../support/turns.ts'
import type { WorkspaceClient } from '../support/workspaces.ts'
import {
  type Arrivals,
  type FromSoakReceiver,
  SOAK_RECEIVER,
  type SoakHook,
  type SoakReceiverStart,
  type ToSoakReceiver,
} from './receiver.ts'

interface NewHook extends Pick<SoakHook, 'path' | 'dialect' | 'behavior'> {
  readonly types: readonly string[]
}

/** An HTTPS receiver in its own process. */
export class SoakReceiver {
  /** For services to trust, PEM. */
  readonly certificate: string
  readonly #program: Program<ToSoakReceiver, FromSoakReceiver>
  readonly #origin: string
  /** One question at a time, since answers have no ids. */
  readonly #turns = new Turns()

  private constructor(program: Program<ToSoakReceiver, FromSoakReceiver>, port: number, certificate: string) {
    this.certificate = certificate
    this.#program = program
    this.#origin = `https://127.0.0.1:${port}`
  }

  /** @param events upper limit of event numbers, exclusive */
  static async start(events: number): Promise<SoakReceiver> {
    const identity = await makeLoopbackIdentity()
    const start: SoakReceiverStart = { identity, events }
    const program = new Program<ToSoakReceiver, FromSoakReceiver>(SOAK_RECEIVER, start)
    const { port } = await program.next('listening')
    return new SoakReceiver(program, port, identity.cert)
  }

  /** Creates a webhook and sets how its receiver answers. @returns its id */
  async hook(workspace: WorkspaceClient, { types, ...hook }: NewHook): Promise<string> {
    const { id, secret } = await workspace.createWebhook(`${this.#origin}${hook.path}`, types)
    await this.#ask({ kind: 'hook', hook: { ...hook, secret, scheme: workspace.scheme } }, 'done')
    return id
  }

  async behave(path: string, behavior: Behavior): Promise<void> {
    await this.#ask({ kind: 'behave', path, behavior }, 'done')
  }

  /** Forgets the hook and its requests. */
  async remove(path: string): Promise<void> {
    await this.#ask({ kind: 'remove', path }, 'done')
  }

  async arrivals(path: string): Promise<Arrivals> {
    return (await this.#ask({ kind: 'report', path }, 'report')).arrivals
  }

  /** Number of requests to a hook. */
  async count(path: string): Promise<number> {
    return (await this.#ask({ kind: 'count', path }, 'count')).requests
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }

  #ask<K extends FromSoakReceiver['kind']>(question: ToSoakReceiver, kind: K) {
    return this.#turns.take(() => this.#program.ask(question, kind))
  }
}
