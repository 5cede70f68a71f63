/**
 * Sets the wall clock of this thread.
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
}
