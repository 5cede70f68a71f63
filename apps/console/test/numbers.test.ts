import { describe, expect, it } from 'vitest'
import { counted, pendingText, shareOf, shareText } from '../src/model/numbers.ts'

describe('shareText', () => {
  it.each([
    [1, '100%'],
    [0, '0%'],
    [0.9999999, '99.99%'],
    [0.0000001, '0.01%'],
    [0.995, '99.50%'],
    [0.5, '50%'],
    [0.876, '87.6%'],
  ])('%d is %s', (share, text) => expect(shareText(share)).toBe(text))
})

it('zero has no percentage', () => {
  expect(shareOf(0, 0)).toBeNull()
  expect(shareOf(3, 4)).toBe(0.75)
})
it('one is written without an s, and thousands with a comma', () => {
  expect([counted(1, 'event'), counted(0, 'event'), counted(1_200, 'delivery', 'deliveries')]).toEqual([
    '1 event',
    '0 events',
    '1,200 deliveries',
  ])
})
it('pending deliveries are shown up to the number counted', () => {
  expect([pendingText(999), pendingText(1_000)]).toEqual(['999', '1,000+'])
})
