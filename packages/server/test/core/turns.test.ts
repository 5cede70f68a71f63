import { expect, test } from 'vitest'
import { Turns } from '../../src/core/turns.ts'

function turnsOf(...waiting: readonly (readonly [workspaceId: number, one: string])[]): Turns<string> {
  const turns = new Turns<string>()
  for (const [workspaceId, one] of waiting) turns.add(workspaceId, one)
  return turns
}

function rest(turns: Turns<string>): string[] {
  const taken: string[] = []
  for (;;) {
    const [peeked, next] = [turns.peek(), turns.next()]
    expect(peeked).toBe(next)
    if (next === undefined) return taken
    taken.push(next)
  }
}

test('workspaces take turns, each in its own order', () => {
  const turns = turnsOf([1, 'a1'], [1, 'a2'], [1, 'a3'], [2, 'b1'], [3, 'c1'], [2, 'b2'])
  expect(turns.empty).toBe(false)
  expect(rest(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(turns.empty).toBe(true)
})

test('a group that arrives while another has many waiting is next but one', () => {
  const turns = turnsOf([1, 'a1'], [1, 'a2'], [1, 'a3'])
  turns.next()
  turns.add(2, 'b1')
  expect(rest(turns)).toEqual(['a2', 'b1', 'a3'])
})

test('matching items are taken from all groups, and the rest keeps its turns', () => {
  const turns = turnsOf([1, 'old'], [1, 'a'], [2, 'old'], [3, 'c'])
  expect(turns.takeAll((one) => one === 'old')).toEqual(['old', 'old'])
  expect(rest(turns)).toEqual(['a', 'c'])
})
