import { eventually } from '../../src/support/waiting.ts'
import { openAccount } from './accounts.ts'
import { inContent, publishContent } from './samples/content.ts'
import { done } from './world.ts'

/**
 * Waits until feeds show all published events: in a store of several nodes, new ones may appear a moment
 * later.
 */
export async function settled(): Promise<void> {
  const marker = await openAccount('content')
  await publishContent(marker)
  await eventually(
    async () => {
      const { data } = await done<{ data: readonly object[] }>('listContentEvents', inContent(marker))
      return data.length > 0 ? true : null
    },
    { withinMs: 10_000, what: 'the newest event in its feed' },
  )
}
