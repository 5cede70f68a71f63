/** A program that lost its parent ends; and so does one that was left running and hears nothing for so long. */
const WAITS_AT_MOST_MS = 30 * 60_000

/** What the parent handed over; see `Program`. */
export function startOf<T>(): Promise<T> {
  process.once('disconnect', () => process.exit(0))
  const patience = setTimeout(() => process.exit(1), WAITS_AT_MOST_MS).unref()
  process.on('message', () => patience.refresh())
  return new Promise((resolve) => process.once('message', (start) => resolve(start as T)))
}

export function tell<M extends { readonly kind: string }>(message: M): void {
  // A program that is being stopped has nobody left to tell.
  if (process.connected) process.send!(message)
}

export function onMessage<M>(listener: (message: M) => void): void {
  process.on('message', listener)
}
