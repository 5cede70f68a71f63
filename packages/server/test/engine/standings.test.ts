import { expect, test } from 'vitest'
import { Standings } from '../../src/engine/schedule/standings.ts'

test('a webhook is untried, prompt or slow, by its latest attempts', () => {
  const standings = new Standings()
  expect(standings.of(1)).toBe('untried')
  standings.setSlow(1, 100)
  standings.setSlow(1, 200)
  expect([standings.of(1), standings.slowSince(1)]).toEqual(['slow', 100])
  standings.setPrompt(1)
  expect([standings.of(1), standings.slowSince(1)]).toEqual(['prompt', null])
  standings.setSlow(1, 300)
  expect([standings.of(1), standings.slowSince(1)]).toEqual(['slow', 300])
})

test('of each kind 100,000 are remembered: those longest known are forgotten', () => {
  const standings = new Standings()
  for (let id = 1; id <= 100_001; id++) {
    standings.setPrompt(id)
    standings.setSlow(1_000_000 + id, 0)
  }
  expect([1, 2, 100_001].map((id) => standings.of(id))).toEqual(['untried', 'prompt', 'prompt'])
  expect([1, 2, 100_001].map((id) => standings.of(1_000_000 + id))).toEqual(['untried', 'slow', 'slow'])
})
