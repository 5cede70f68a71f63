import type { Prepared } from './scenario.ts'

/** For what all rounds share without holding anything open. */
export const NOTHING_OPEN: Prepared = { close: async () => {} }

/** Adds to what all rounds share something that stays open for them. It is closed at once if `make` fails. */
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
