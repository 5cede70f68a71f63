import type { Call } from '../../../src/api/client.ts'
import { eventually } from '../../../src/support/waiting.ts'
import { type Account, unique } from '../accounts.ts'
import { done } from '../world.ts'
import type { Samples } from './sample.ts'

/** The naming of a service. */
export interface ConsumerWords {
  /** In ids of operations. */
  readonly title: 'Content' | 'Ads'
  readonly as: (account: Account, params?: Readonly<Record<string, string>>) => Call
  readonly publish: (account: Account) => Promise<{ readonly id: string }>
  readonly types: object
}

interface Page {
  readonly events: readonly { readonly id: string; readonly ack: string }[]
  readonly ack: string | null
}

/** Creates a consumer that starts at the oldest event. @returns its parameters */
export async function addConsumer({ title, as }: ConsumerWords, account: Account): Promise<Call> {
  const name = unique('consumer')
  await done(`create${title}Consumer`, { ...as(account), json: { name, start: 'oldest' } })
  return as(account, { name })
}

/** Waits for events of a consumer, and reads their acknowledgement. */
export const readConsumer = ({ title }: ConsumerWords, consumer: Call): Promise<Page> =>
  eventually(
    async () => {
      const page = await done<Page>(`read${title}Consumer`, { ...consumer, query: { wait: 1 } })
      return page.events.length > 0 ? page : null
    },
    { withinMs: 10_000, what: 'an event of a consumer' },
  )

/** A consumer of a workspace with an event. */
async function consumerWithEvent(words: ConsumerWords, account: Account): Promise<Call> {
  await words.publish(account)
  const consumer = await addConsumer(words, account)
  await readConsumer(words, consumer)
  return consumer
}

/** Calls of the operations on consumers. */
export function consumerSamples(words: ConsumerWords): Samples {
  const { title, as, types } = words
  const one = (account: Account) => addConsumer(words, account)
  return {
    [`create${title}Consumer`]: (account) => ({
      ...as(account),
      json: { name: unique('consumer'), ...types, since: '2026-01-01T00:00:00Z' },
    }),
    [`list${title}Consumers`]: async (account) => {
      await one(account)
      return { ...as(account), query: { limit: 5 } }
    },
    [`get${title}Consumer`]: one,
    [`read${title}Consumer`]: async (account) => ({
      ...(await consumerWithEvent(words, account)),
      query: { limit: 5, wait: 1 },
    }),
    [`acknowledge${title}Events`]: async (account) => {
      const consumer = await consumerWithEvent(words, account)
      const { ack } = await readConsumer(words, consumer)
      return { ...consumer, json: { ack } }
    },
    [`stream${title}Consumer`]: (account) => consumerWithEvent(words, account),
    [`seek${title}Consumer`]: async (account) => ({ ...(await one(account)), json: { start: 'oldest' } }),
    [`delete${title}Consumer`]: one,
  }
}
