/** A program ends when it lost its parent, or got no message for this long. */
const WAITS_AT_MOST_MS = 30 * 60_000

/** The parent's first message; see `Program`. */
export function startOf<T>(): Promise<T> {
  process.once('disconnect', () => process.exit(0))
  const patience = setTimeout(() => process.exit(1), WAITS_AT_MOST_MS).unref()
  process.on('message', () => patience.refresh())
  return new Promise((resolve) => process.once('message', (start) => resolve(start as T)))
}

export function tell<M extends { readonly kind: string }>(message: M): void {
  // A program that is being stopped has lost its parent.
  if (process.connected) process.send!(message)
}

export function onMessage<M>(listener: (message: M) => void): void {
  process.on('message', listener)
}
