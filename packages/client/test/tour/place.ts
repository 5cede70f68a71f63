import { eventually } from '../../../../harness/src/support/waiting.ts'
import type { Inbox } from './inbox.ts'

/** The environment of a tour. */
export interface Place {
  readonly baseUrl: string
  readonly adminToken: string
  readonly inbox: Inbox
}

interface Log {
  readonly data: readonly { readonly status: string }[]
}

/**
 * Resolves once this many deliveries of a log have a state: results are written a moment after the answer.
 */
export async function settled(read: () => Promise<Log>, status: string, count: number): Promise<void> {
  const isSo = async () =>
    (await read()).data.filter((delivery) => delivery.status === status).length === count || null
  await eventually(isSo, { withinMs: 20_000, what: `${count} deliveries that are ${status}` })
}
