import { expect, test } from 'vitest'
import { openAccount } from '../accounts.ts'
import { expectProblem } from '../expectProblem.ts'
import { addContentWebhook, inContent } from '../samples/content.ts'
import { done } from '../world.ts'

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly next_cursor: string | null
}

/** Finds one webhook among many. */
export function webhookListStories(): void {
  test('webhooks are found by id, text and state, and listed failing first', async () => {
    const account = await openAccount('content')
    const made = [await addContentWebhook(account), await addContentWebhook(account)]
    const read = (query: Record<string, string | number>) =>
      done<Page>('listContentWebhooks', { ...inContent(account), query })
    const idsOf = (...pages: readonly Page[]) => pages.flatMap(({ data }) => data.map(({ id }) => id))
    const newestFirst = made.map(({ id }) => id).reverse()
    expect(idsOf(await read({ q: made[0]!.id }))).toEqual([made[0]!.id])
    expect(idsOf(await read({ q: 'HTTP://' }))).toEqual(newestFirst)
    expect(idsOf(await read({ status: 'failing' }))).toEqual([])
    const first = await read({ order: 'failing', limit: 1 })
    const second = await read({ order: 'failing', limit: 1, cursor: first.next_cursor! })
    expect(idsOf(first, second)).toEqual(newestFirst)
    const ofOtherList = { ...inContent(account), query: { cursor: first.next_cursor! } }
    await expectProblem('listContentWebhooks', ofOtherList, 422, 'invalid_request')
  })
}
