import { Worker } from 'node:worker_threads'

/**
 * Calls back at an instant. It has a thread of its own, since timers of the event loop are up to a millisecond late, which is
 * as long as what is measured takes.
 */
export class Alarm {
  readonly #atNs = new BigInt64Array(new SharedArrayBuffer(8))
  readonly #worker: Worker

  constructor(onRing: () => void) {
    this.#worker = new Worker(new URL('./alarmThread.js', import.meta.url), { workerData: this.#atNs })
    this.#worker.on('message', onRing)
  }

  /** Rings once, then; at once if that has passed. Whatever it was set to before is forgotten. */
  set(atNs: number): void {
    Atomics.store(this.#atNs, 0, BigInt(atNs))
    Atomics.notify(this.#atNs, 0)
  }

  stop(): void {
    void this.#worker.terminate()
  }
}
