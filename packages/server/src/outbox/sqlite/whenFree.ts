import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { OutboxUnavailableError } from '../source.ts'

const AGAIN_AFTER_MS = 5
const TIMEOUT_MS = 10 * SECOND_MS

/**
 * Runs a transaction once no other connection writes. It waits without holding up the event loop, as a busy timeout of
 * SQLite would.
 * @throws OutboxUnavailableError (rejects) when others write for too long
 */
export async function whenFree<T>(clock: Clock, transaction: () => T): Promise<T> {
  const until = clock.monotonic() + TIMEOUT_MS
  for (;;) {
    try {
      return transaction()
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string }
      if (code?.startsWith('SQLITE_BUSY') !== true) throw error
      if (clock.monotonic() >= until)
        throw new OutboxUnavailableError(`another connection has kept the database locked: ${message}`)
    }
    await new Promise<void>((resolve) => clock.after(AGAIN_AFTER_MS, resolve))
  }
}
