import { describe, expect, it } from 'vitest'
import { CAST, listensTo, SERVICES } from '../src/story/cast.ts'
import { STORY } from '../src/story/story.ts'

describe('the story', () => {
  it('has an event for every receiver', () => {
    for (const part of CAST) {
      const meant = STORY.filter(({ service, type }) => listensTo(part, service, type))
      expect(meant.length, part.name).toBeGreaterThan(0)
      if (part.types !== 'all') expect(new Set(meant.map(({ type }) => type))).toEqual(new Set(part.types))
    }
  })

  it('has an event for the disabled receiver after the one that disables it', () => {
    const part = CAST.find(({ fate }) => fate === 'gets_disabled')!
    expect(STORY.filter(({ service, type }) => listensTo(part, service, type)).length).toBeGreaterThan(1)
  })

  it.each(SERVICES)('describes a day at the %s service', (service) => {
    expect(STORY.filter((happening) => happening.service === service).length).toBeGreaterThan(9)
  })

  it('fits next to the event types in 80 columns', () => {
    expect(STORY.filter(({ says }) => says.length > 37)).toEqual([])
    expect(STORY.filter(({ type }) => type.length > 27)).toEqual([])
    expect(CAST.filter(({ name }) => name.length > 14)).toEqual([])
  })
})
