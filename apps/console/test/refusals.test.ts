import { expect, it } from 'vitest'
import { ProblemError } from '../src/api/problem.ts'
import { type Draft, inputOf } from '../src/model/draft.ts'
import { isGeneral, refusalsOf } from '../src/pages/webhooks/form/refusals.ts'

const draft: Draft = {
  url: 'https://a.example.com/',
  description: '',
  allTypes: false,
  eventTypes: ['plan.ready'],
  maxPerSecond: '',
  maxInFlight: '',
}
const refused = (...errors: readonly { pointer: string; message: string }[]) =>
  new ProblemError(new Response(null, { status: 422 }), { code: 'invalid_request', errors })
const nothing = { error: null, sent: undefined, tried: false }

it('shows nothing before the first submission', () => {
  const empty = { ...draft, url: '', eventTypes: [] }
  expect(refusalsOf({ ...nothing, draft: empty })).toEqual({
    url: null,
    description: null,
    eventTypes: null,
    maxPerSecond: null,
    maxInFlight: null,
  })
})
it('names what is missing after the first submission', () => {
  const { url, eventTypes } = refusalsOf({
    ...nothing,
    draft: { ...draft, url: '', eventTypes: [] },
    tried: true,
  })
  expect(url).toContain('Enter the URL')
  expect(eventTypes).toContain('at least one')
})
it('shows each error at its field, as a sentence, with the field names of either service', () => {
  const error = refused(
    { pointer: '/url', message: 'The host is an IP address.' },
    { pointer: '/types/0', message: 'must be one of the event types' },
  )
  const refusals = refusalsOf({ draft, error, sent: inputOf(draft), tried: true })
  expect(refusals.url).toBe('The host is an IP address.')
  expect(refusals.eventTypes).toBe('Must be one of the event types.')
  expect(refusals.description).toBeNull()
})
it('clears an error as soon as its field changes, and no other', () => {
  const error = refused({ pointer: '/url', message: 'no' }, { pointer: '/description', message: 'no' })
  const changed = { ...draft, url: 'https://b.example.com/' }
  const refusals = refusalsOf({ draft: changed, error, sent: inputOf(draft), tried: true })
  expect(refusals.url).toBeNull()
  expect(refusals.description).toBe('No.')
})
it('separates errors that no field can show', () => {
  expect(isGeneral(refused({ pointer: '/events', message: 'no' }))).toBe(false)
  expect(isGeneral(refused({ pointer: '/other', message: 'no' }))).toBe(true)
  expect(isGeneral(new Error('offline'))).toBe(true)
})
