import { describe, expect, test } from 'vitest'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'
import { camelCase } from '../../src/profiles/eventForm.ts'

describe('the comparison of a repeated event', () => {
  test('of content has the form of the stored fingerprints', () => {
    const { events } = contentService()
    const body = {
      type: 'plan.ready',
      data: { a: 1 },
      links: { app: 'https://a.example' },
      id: 'evt_1',
      timestamp: 'x',
    }
    expect(events.identityOf(events.eventOf(body), 5)).toEqual({
      type: 'plan.ready',
      data: { a: 1 },
      actorId: null,
      links: { app: 'https://a.example' },
      occurredAt: 5,
    })
  })

  test('of ads has it as well', () => {
    const { events } = adsService()
    const body = { type: 'a.v1', entityType: 'campaign', entityId: 'c', payload: {}, id: 'e' }
    expect(events.identityOf(events.eventOf(body), null)).toEqual({
      type: 'a.v1',
      entityType: 'campaign',
      entityId: 'c',
      payload: {},
      occurredAt: null,
    })
  })
})

test.each([
  ['actor_id', 'actorId'],
  ['entityType', 'entityType'],
  ['a__b_2', 'aB2'],
])('%s is %s in camel case', (name, camel) => {
  expect(camelCase(name)).toBe(camel)
})
