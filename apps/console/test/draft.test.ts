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
  it('converts a webhook to a draft and back unchanged', () => {
    expect(inputOf(draftOf(before))).toEqual(before)
  })
  it('keeps the selected types while "all types" is chosen, and sends none', () => {
    const draft = { ...draftOf(before), allTypes: true }
    expect(inputOf(draft).eventTypes).toEqual([])
    expect(inputOf({ ...draft, allTypes: false }).eventTypes).toEqual(before.eventTypes)
  })
  it('names what is missing', () => {
    const empty = { ...EMPTY_DRAFT, url: ' ' }
    expect(Object.keys(missingIn(empty))).toEqual(['url', 'eventTypes'])
    expect(missingIn({ ...empty, url: 'https://a.example.com', allTypes: true })).toEqual({})
  })
  it('reads numbers as typed, and an empty field as no limit', () => {
    const draft = { ...draftOf(before), maxPerSecond: ' 2,5 ', maxInFlight: '3' }
    expect(inputOf(draft)).toMatchObject({ maxPerSecond: 2.5, maxInFlight: 3 })
    expect(inputOf({ ...draft, maxPerSecond: '' }).maxPerSecond).toBeNull()
    expect(changesBetween(before, inputOf(draft))).toEqual({ maxPerSecond: 2.5, maxInFlight: 3 })
    expect(missingIn(draft)).toEqual({})
  })
  it('reports input that is not a number', () => {
    const draft = { ...draftOf(before), maxPerSecond: 'often', maxInFlight: '1.5' }
    expect(Object.keys(missingIn(draft))).toEqual(['maxPerSecond', 'maxInFlight'])
  })
  it('sends only what was changed, whatever the order of the types', () => {
    const after = { ...before, description: 'B', eventTypes: ['plan.saved', 'plan.ready'] }
    expect(changesBetween(before, after)).toEqual({ description: 'B' })
  })
})

describe('a collision', () => {
  it('keeps their changes to fields that are unchanged here', () => {
    const theirs = { ...before, description: 'theirs' }
    const mine = { ...before, url: 'https://mine.example.com/' }
    const collision = collisionOf(before, theirs, mine)
    expect(collision.merged).toEqual({ ...mine, description: 'theirs' })
    expect(collision.theirs).toEqual([{ field: 'description', contested: false }])
  })
  it('names what both changed, and prefers what was typed here', () => {
    const theirs = { ...before, url: 'https://theirs.example.com/' }
    const mine = { ...before, url: 'https://mine.example.com/' }
    const collision = collisionOf(before, theirs, mine)
    expect(collision.merged.url).toBe(mine.url)
    expect(collision.yielded.url).toBe(theirs.url)
    expect(collision.theirs).toEqual([{ field: 'url', contested: true }])
  })
  it('keeps changes made only here, whichever side wins', () => {
    const theirs = { ...before, url: 'https://theirs.example.com/' }
    const mine = { ...before, url: 'https://mine.example.com/', description: 'mine' }
    const { merged, yielded } = collisionOf(before, theirs, mine)
    expect(merged).toEqual(mine)
    expect(yielded).toEqual({ ...mine, url: theirs.url })
  })
  it('has no conflict where both made the same change', () => {
    const same = { ...before, eventTypes: ['plan.saved'] }
    expect(collisionOf(before, same, same).theirs).toEqual([{ field: 'eventTypes', contested: false }])
  })
})
