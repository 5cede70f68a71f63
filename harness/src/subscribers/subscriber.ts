import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { killAtExit } from '../support/children.ts'
import { eventually } from '../support/waiting.ts'

interface SubscriberStart {
  readonly command: readonly string[]
  readonly directory: string
  /** Where it listens once it is ready. */
  readonly port: number
  readonly env?: Readonly<Record<string, string>>
  /** Its output once it is ready, if it listens before that. */
  readonly ready?: RegExp
}

const START_WITHIN_MS = 60_000

/** A program that receives webhooks, in its own process group, since some start others. */
export class Subscriber {
  readonly url: string
  readonly #child: ChildProcess
  #output = ''

  private constructor({ command, directory, port, env = {} }: SubscriberStart) {
    const [program, ...args] = command
    this.url = `http://127.0.0.1:${port}`
    this.#child = killAtExit(
      spawn(program!, args, {
        cwd: directory,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    )
    this.#child.once('error', (error) => (this.#output += String(error)))
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
  }

  /** @throws Error with its output when it ends, or does not listen in time */
  static async start(start: SubscriberStart): Promise<Subscriber> {
    const subscriber = new Subscriber(start)
    try {
      await eventually(() => subscriber.#isReady(start), {
        withinMs: START_WITHIN_MS,
        everyMs: 50,
        what: `start of ${start.command.join(' ')}`,
      })
    } catch (error) {
      await subscriber.stop()
      throw new Error(`${String(error)}\n${subscriber.output}`)
    }
    return subscriber
  }

  /** Its output so far. */
  get output(): string {
    return this.#output
  }

  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const ended = once(this.#child, 'exit')
    process.kill(-pid, 'SIGKILL')
    await ended
  }

  async #isReady({ port, ready }: SubscriberStart): Promise<true | null> {
    if (this.#child.exitCode !== null) throw new Error(`it ended with ${this.#child.exitCode}`)
    if (ready !== undefined && !ready.test(this.#output)) return null
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return null
    } finally {
      socket.destroy()
    }
  }
}
