import { describe, expect, it } from 'vitest'
import { changesBetween, collisionOf, draftOf, EMPTY_DRAFT, inputOf, missingIn } from '../src/model/draft.ts'
import type { WebhookInput } from '../src/model/webhook.ts'

const before: WebhookInput = {
  url: 'https://a.example.com/',
  description: 'A',
  eventTypes: ['plan.ready', 'plan.saved'],
  maxPerSecond: 0.5,
  maxInFlight: null,
}

describe('a draft', () => {
  it('comes out of a webhook and goes back into it unchanged', () => {
    expect(inputOf(draftOf(before))).toEqual(before)
  })
  it('keeps what was ticked while all types stand over it, and sends none', () => {
    const draft = { ...draftOf(before), allTypes: true }
    expect(inputOf(draft).eventTypes).toEqual([])
    expect(inputOf({ ...draft, allTypes: false }).eventTypes).toEqual(before.eventTypes)
  })
  it('says what is missing', () => {
    const empty = { ...EMPTY_DRAFT, url: ' ' }
    expect(Object.keys(missingIn(empty))).toEqual(['url', 'eventTypes'])
    expect(missingIn({ ...empty, url: 'https://a.example.com', allTypes: true })).toEqual({})
  })
  it('reads numbers as they are typed, and an empty one as no limit', () => {
    const draft = { ...draftOf(before), maxPerSecond: ' 2,5 ', maxInFlight: '3' }
    expect(inputOf(draft)).toMatchObject({ maxPerSecond: 2.5, maxInFlight: 3 })
    expect(inputOf({ ...draft, maxPerSecond: '' }).maxPerSecond).toBeNull()
    expect(changesBetween(before, inputOf(draft))).toEqual({ maxPerSecond: 2.5, maxInFlight: 3 })
    expect(missingIn(draft)).toEqual({})
  })
  it('says what is no number', () => {
    const draft = { ...draftOf(before), maxPerSecond: 'often', maxInFlight: '1.5' }
    expect(Object.keys(missingIn(draft))).toEqual(['maxPerSecond', 'maxInFlight'])
  })
  it('sends what was changed alone, whatever the order of its types', () => {
    const after = { ...before, description: 'B', eventTypes: ['plan.saved', 'plan.ready'] }
    expect(changesBetween(before, after)).toEqual({ description: 'B' })
  })
})

describe('a collision', () => {
  it('keeps their changes of what was left alone here', () => {
    const theirs = { ...before, description: 'theirs' }
    const mine = { ...before, url: 'https://mine.example.com/' }
    const collision = collisionOf(before, theirs, mine)
    expect(collision.merged).toEqual({ ...mine, description: 'theirs' })
    expect(collision.theirs).toEqual([{ field: 'description', contested: false }])
  })
  it('names what both changed, and lets what was typed here win', () => {
    const theirs = { ...before, url: 'https://theirs.example.com/' }
    const mine = { ...before, url: 'https://mine.example.com/' }
    const collision = collisionOf(before, theirs, mine)
    expect(collision.merged.url).toBe(mine.url)
    expect(collision.yielded.url).toBe(theirs.url)
    expect(collision.theirs).toEqual([{ field: 'url', contested: true }])
  })
  it('keeps what was changed here alone, whoever wins', () => {
    const theirs = { ...before, url: 'https://theirs.example.com/' }
    const mine = { ...before, url: 'https://mine.example.com/', description: 'mine' }
    const { merged, yielded } = collisionOf(before, theirs, mine)
    expect(merged).toEqual(mine)
    expect(yielded).toEqual({ ...mine, url: theirs.url })
  })
  it('is none where both changed to the same', () => {
    const same = { ...before, eventTypes: ['plan.saved'] }
    expect(collisionOf(before, same, same).theirs).toEqual([{ field: 'eventTypes', contested: false }])
  })
})
