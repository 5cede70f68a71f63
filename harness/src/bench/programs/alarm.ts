import { Worker } from 'node:worker_threads'

/**
 * Calls back at an instant. It uses its own thread, since event loop timers are up to a millisecond late,
 * which is as long as the measured latencies.
 */
export class Alarm {
  readonly #atNs = new BigInt64Array(new SharedArrayBuffer(8))
  readonly #worker: Worker

  constructor(onRing: () => void) {
    this.#worker = new Worker(new URL('./alarmThread.js', import.meta.url), { workerData: this.#atNs })
    this.#worker.on('message', onRing)
  }

  /** Rings once at that time; at once if it has passed. Replaces any earlier time. */
  set(atNs: number): void {
    Atomics.store(this.#atNs, 0, BigInt(atNs))
    Atomics.notify(this.#atNs, 0)
  }

  stop(): void {
    void this.#worker.terminate()
  }
}
