import http from 'node:http'

/**
 * Sets the wall clock of this thread, and the time that responses tell in `Date`, which Node takes from a clock of its own.
 * @param {() => number} now Unix ms
 */
export function setWallClock(now) {
  const RealDate = Date
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
  const { writeHead } = http.ServerResponse.prototype
  http.ServerResponse.prototype.writeHead = function (...args) {
    if (this.sendDate) this.setHeader('date', new RealDate(now()).toUTCString())
    return writeHead.apply(this, args)
  }
}
