import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../src/dedupe.ts'

describe('the in-memory store', () => {
  test('keeps at most its limit, and never forgets an event that is being handled', async () => {
    const store = memoryStore({ maxEntries: 3 })
    const claimed = (i: number) => ({ key: `k${i}`, version: 0, event: '' })
    await store.claim(claimed(0), 'a', 60_000)
    for (let i = 1; i <= 5; i += 1) {
      await store.claim(claimed(i), 'b', 60_000)
      await store.complete(claimed(i), 'b', 60_000)
    }
    expect(await store.claim(claimed(0), 'c', 1)).toBe('busy')
    expect(await store.claim(claimed(5), 'c', 1)).toBe('done')
    expect(await store.claim(claimed(1), 'c', 1)).toBe('claimed')
  })
})
