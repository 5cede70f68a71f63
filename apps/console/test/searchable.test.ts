import { describe, expect, it } from 'vitest'
import { featuresOf } from '../src/api/features.ts'
import {
  searchHelp,
  searchPlaceholder,
  subjectsOf,
  subjectsOfText,
  subjectText,
} from '../src/model/searchable.ts'
import { description } from './descriptions/index.ts'

const searchable = (name: string, overrides: object = {}) =>
  featuresOf(description(name, overrides)).searchable

describe('the help of a search', () => {
  it('names what the service makes searchable', () => {
    expect(searchHelp(searchable('standard'))).toBe(
      'Finds event and delivery ids, and whole words of these fields: id, *_id, *Id, name, title and *.id.',
    )
    expect(searchHelp(searchable('content'))).toMatch(/fields: generation\.id, .+ and actor_id\.$/)
  })

  it('offers only ids where nothing is searchable', () => {
    const none = searchable('standard', { searchable: [] })
    expect(searchHelp(none)).toBe('Finds an event or a delivery by its id.')
    expect(searchPlaceholder(none)).toBe('Type an event or delivery id, and press Enter')
  })
})

describe('the subject of an event', () => {
  it('is read from ids and names of its data', () => {
    const data = { order_id: 4711, customer: { id: 'cus_7' }, title: 'Two wheels', note: 'x' }
    const subjects = subjectsOf({ type: 'order.paid', data }, searchable('standard'))
    expect(subjects).toEqual([
      { label: 'order_id', value: '4711' },
      { label: 'title', value: 'Two wheels' },
      { label: 'customer.id', value: 'cus_7' },
    ])
    expect(subjectText(subjects)).toBe('order_id: 4711 · Two wheels')
  })

  it('is read where the data is the body', () => {
    expect(subjectsOf({ id: 7, action: 'opened' }, searchable('github'))).toEqual([
      { label: 'id', value: '7' },
    ])
  })

  it('lists each value once, also from lists, up to a limit', () => {
    const posts = Array.from({ length: 40 }, (_, place) => ({ id: `p${place % 20}` }))
    const subjects = subjectsOf({ data: { posts } }, searchable('standard'))
    expect(subjects.map(({ value }) => value)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5'])
  })

  it('is empty where no field names it', () => {
    for (const body of [null, 'text', {}, { data: null }, { data: { id: { deep: 1 }, name: ' ' } }])
      expect(subjectsOf(body, searchable('standard'))).toEqual([])
    expect(subjectText([])).toBeNull()
  })

  it('is read from text only if that is valid JSON', () => {
    expect(subjectsOfText('{"data":{"id":"a"}}', searchable('standard'))).toHaveLength(1)
    expect(subjectsOfText('{', searchable('standard'))).toEqual([])
    expect(subjectsOfText(null, searchable('standard'))).toEqual([])
  })

  it('is shortened in a row', () => {
    const text = subjectText([{ label: 'id', value: 'x'.repeat(200) }])
    expect(text).toBe(`id: ${'x'.repeat(59)}…`)
  })
})
