import { expect, test } from 'vitest'
import { type Cast, makeHistory } from './history.ts'
import { Moving } from './moving.ts'
import { readEverything } from './reading.ts'

async function withHistory(): Promise<{ readonly moving: Moving; readonly cast: Cast }> {
  let cast: Cast | undefined
  const moving = await Moving.prepare(async (storage) => {
    cast = await makeHistory(storage)
  })
  return { moving, cast: cast! }
}

test('everything that can be read of a store reads the same after the move', async () => {
  const { moving } = await withHistory()
  const before = await moving.copyOpen()
  expect(await moving.run()).toBeGreaterThan(100)
  expect(await readEverything(await moving.openMoved())).toEqual(await readEverything(before))
})
