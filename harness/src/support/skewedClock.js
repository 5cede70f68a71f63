/**
 * Loaded before the service (`node --import`), in its main thread and its workers: sets the wall clock off by
 * HARNESS_CLOCK_SKEW_MS. Monotonic time stays as it is, as it does on a machine whose clock is wrong.
 */
const skewMs = Number(process.env.HARNESS_CLOCK_SKEW_MS ?? 0)

if (skewMs !== 0) {
  const RealDate = Date
  const now = () => RealDate.now() + skewMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
}
