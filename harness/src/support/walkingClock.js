/**
 * Loaded before the service (`node --import`). In its main thread, the only one that reads the time, the wall
 * clock moves in leaps. At SIGUSR2 it leaps to the skew in HARNESS_CLOCK_FILE, in milliseconds, and all
 * timers due by then run at once. Monotonic time does not change, nor do request deadlines: open requests
 * take their real time.
 */
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { setWallClock } from './wallClock.js'

const DEADLINES_MS = { from: 2_000, to: 30_000 }

const file = process.env.HARNESS_CLOCK_FILE

if (isMainThread && file !== undefined) {
  const realNow = Date.now
  const realSetTimeout = setTimeout
  const realClearTimeout = clearTimeout
  const readSkew = () => Number(readFileSync(file, 'utf8'))

  let skewMs = readSkew()
  const now = () => realNow() + skewMs

  setWallClock(now)

  const waiting = new Set()

  class Timeout {
    #dueAt
    #real = null
    #keepsAlive = true
    #run

    constructor(callback, delayMs, args) {
      this.#dueAt = now() + delayMs
      this.#run = () => {
        waiting.delete(this)
        callback(...args)
      }
      waiting.add(this)
      this.arm()
    }

    get dueAt() {
      return this.#dueAt
    }

    arm() {
      realClearTimeout(this.#real)
      this.#real = realSetTimeout(this.#run, Math.max(0, this.#dueAt - now()))
      if (!this.#keepsAlive) this.#real.unref()
    }

    unref() {
      this.#keepsAlive = false
      this.#real.unref()
      return this
    }

    close() {
      waiting.delete(this)
      realClearTimeout(this.#real)
    }
  }

  globalThis.setTimeout = (callback, delayMs = 0, ...args) =>
    delayMs >= DEADLINES_MS.from && delayMs <= DEADLINES_MS.to
      ? realSetTimeout(callback, delayMs, ...args)
      : new Timeout(callback, delayMs, args)
  globalThis.clearTimeout = (timeout) =>
    timeout instanceof Timeout ? timeout.close() : realClearTimeout(timeout)

  process.on('SIGUSR2', () => {
    skewMs = readSkew()
    for (const timeout of [...waiting].sort((one, other) => one.dueAt - other.dueAt)) timeout.arm()
    process.stderr.write(`the clock is off by ${skewMs} ms\n`)
  })
}
