import type { Prepared } from './scenario.ts'

/** For scenarios whose rounds share nothing that must be closed. */
export const NOTHING_OPEN: Prepared = { close: async () => {} }

/**
 * Adds a resource that all rounds share and that stays open for them. Closes everything at once if `make`
 * fails.
 */
export async function keepOpen<Made extends object>(
  open: Prepared,
  make: () => Promise<Made>,
): Promise<Made & Prepared> {
  const close = () => open.close()
  try {
    return { ...(await make()), close }
  } catch (error) {
    await close()
    throw error
  }
}
