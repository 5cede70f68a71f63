import { setImmediate } from 'node:timers'
import { Worker } from 'node:worker_threads'
import { StoreOpenError, StoreUnavailableError } from '../storage.ts'
import { failureToError } from './failures.ts'
import type {
  Call,
  CallName,
  CallParams,
  CallResult,
  FromWorker,
  Greeting,
  Reply,
  ToWorker,
  WorkerSettings,
} from './messages.ts'
import { pack } from './packing.ts'

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** One worker thread and its pending calls. */
export class Channel {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #exited: Promise<void>
  readonly #ready: Promise<Greeting>
  #outbox: Call[] = []
  #checkpoints: (() => void)[] = []
  #nextId = 1
  #ended: Error | null = null

  /** @param file the thread's program */
  constructor(settings: WorkerSettings, file: URL = workerFile()) {
    this.#worker = new Worker(file, { workerData: settings, name: `posthorn-store-${settings.role}` })
    this.#ready = this.#greet()
    // The caller of `ready` gets the error; without this, it would also count as unhandled.
    this.#ready.catch(() => {})
    this.#worker.on('error', (error) => this.#end(`the ${settings.role} thread failed: ${error.message}`))
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end(`the ${settings.role} thread has ended`)
        resolve()
      })
    })
  }

  /** @throws StoreOpenError (rejects) when the store cannot be opened. */
  ready(): Promise<Greeting> {
    return this.#ready
  }

  /** Whether the thread has exited: every further call would be rejected. */
  get ended(): boolean {
    return this.#ended !== null
  }

  call<N extends CallName>(name: N, params: CallParams<N>): Promise<CallResult<N>> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    const id = this.#nextId++
    // One message for all calls of one turn of the event loop: waking the other thread costs more than the copy.
    if (this.#outbox.length === 0) setImmediate(() => this.#flush())
    this.#outbox.push({ id, name, params: pack(name, params) })
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    }) as Promise<CallResult<N>>
  }

  /** Lets the thread checkpoint the log; resolves when it has tried, or has exited. */
  checkpoint(): Promise<void> {
    if (this.#ended !== null) return Promise.resolve()
    this.#post('checkpoint')
    return new Promise((resolve) => {
      this.#checkpoints.push(resolve)
    })
  }

  /** Finishes all earlier calls, then ends the thread. */
  async close(): Promise<void> {
    if (this.#ended === null) {
      this.#flush()
      this.#post(null)
      this.#ended = new StoreUnavailableError('the store is closed')
    }
    await this.#exited
  }

  #greet(): Promise<Greeting> {
    return new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.kind === 'replies') for (const reply of message.replies) this.#settle(reply)
        else if (message.kind === 'checkpointed') for (const done of this.#checkpoints.splice(0)) done()
        else if (message.kind === 'ready') resolve(message)
        else reject(new StoreOpenError(message.message))
      })
      this.#worker.on('error', (error) => reject(new StoreOpenError(error.message)))
      this.#worker.on('exit', () => reject(new StoreOpenError('the storage thread ended while it started')))
    })
  }

  #flush(): void {
    if (this.#outbox.length === 0) return
    const calls = this.#outbox
    this.#outbox = []
    try {
      this.#post(calls)
    } catch (error) {
      // A value that cannot be cloned is a mistake of one caller, and must not affect the others.
      if (calls.length === 1) this.#reject(calls[0]!.id, error as Error)
      else for (const call of calls) this.#postAlone(call)
    }
  }

  #postAlone(call: Call): void {
    try {
      this.#post([call])
    } catch (error) {
      this.#reject(call.id, error as Error)
    }
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message)
  }

  #settle(reply: Reply): void {
    const waiting = this.#take(reply.id)
    if ('failure' in reply) waiting?.reject(failureToError(reply.failure))
    else waiting?.resolve(reply.result)
  }

  #reject(id: number, error: Error): void {
    this.#take(id)?.reject(error)
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #end(reason: string): void {
    this.#ended ??= new StoreUnavailableError(reason)
    this.#outbox = []
    for (const done of this.#checkpoints.splice(0)) done()
    for (const id of [...this.#waiting.keys()]) this.#reject(id, this.#ended)
  }
}

/**
 * The worker's built file: beside this module once bundled, in `dist` when this module runs as source, since Node 20 cannot run
 * TypeScript in a worker thread.
 */
function workerFile(): URL {
  const bundled = !import.meta.url.endsWith('.ts')
  return new URL(bundled ? './sqliteWorker.js' : '../../../dist/sqliteWorker.js', import.meta.url)
}
