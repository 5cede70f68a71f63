// Plain JavaScript, since threads do not use the TypeScript loader.
import { parentPort, workerData } from 'node:worker_threads'

/** When to ring next, ns on the monotonic clock. @type {BigInt64Array} */
const alarm = workerData

for (let rungNs = 0n; ; ) {
  const atNs = Atomics.load(alarm, 0)
  if (atNs === rungNs) {
    Atomics.wait(alarm, 0, rungNs)
    continue
  }
  const leftMs = Number(atNs - process.hrtime.bigint()) / 1e6
  // Blocks this thread, which is exact to some microseconds, unlike an event loop timer.
  if (leftMs > 0 && Atomics.wait(alarm, 0, atNs, leftMs) !== 'timed-out') continue
  rungNs = atNs
  parentPort.postMessage(null)
}
