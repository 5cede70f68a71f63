import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { killAtExit } from './children.ts'
import { within } from './waiting.ts'

const TYPESCRIPT_LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const ANSWER_WITHIN_MS = 60_000

interface Message {
  readonly kind: string
}

type OfKind<M extends Message, K extends M['kind']> = Extract<M, { readonly kind: K }>

/** A TypeScript file of the harness in its own process; `programSide.ts` is the other end. */
export class Program<ToProgram extends Message, FromProgram extends Message> {
  readonly #child: ChildProcess
  readonly #name: string
  readonly #exited: Promise<void>
  #hasEnded = false

  /** @param start the program's first message */
  constructor(file: URL, start: object) {
    const path = fileURLToPath(file)
    this.#name = path.split('/').at(-1)!
    this.#child = killAtExit(
      fork(path, [], {
        execArgv: ['--import', TYPESCRIPT_LOADER],
        serialization: 'advanced',
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    )
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', () => {
        this.#hasEnded = true
        resolve()
      })
    })
    this.#child.send(start)
  }

  get pid(): number {
    return this.#child.pid!
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  send(message: ToProgram): void {
    this.#child.send(message)
  }

  on<K extends FromProgram['kind']>(kind: K, listener: (message: OfKind<FromProgram, K>) => void): void {
    this.#child.on('message', (message: FromProgram) => {
      if (message.kind === kind) listener(message as OfKind<FromProgram, K>)
    })
  }

  /** The next message of a kind. @throws Error when the program ends before it, or after a timeout */
  next<K extends FromProgram['kind']>(kind: K, withinMs = ANSWER_WITHIN_MS): Promise<OfKind<FromProgram, K>> {
    const message = new Promise<OfKind<FromProgram, K>>((resolve, reject) => {
      const take = (sent: FromProgram) => {
        if (sent.kind !== kind) return
        this.#child.off('message', take)
        resolve(sent as OfKind<FromProgram, K>)
      }
      this.#child.on('message', take)
      void this.#exited.then(() => reject(new Error(`${this.#name} ended before it said "${kind}"`)))
    })
    return within(message, withinMs, `"${kind}" of ${this.#name}`)
  }

  /** Sends a question and waits for the answer of that kind. */
  ask<K extends FromProgram['kind']>(
    question: ToProgram,
    kind: K,
    withinMs = ANSWER_WITHIN_MS,
  ): Promise<OfKind<FromProgram, K>> {
    const answer = this.next(kind, withinMs)
    this.send(question)
    return answer
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }
}
