import { describe, expect, test } from 'vitest'
import { bodyReader } from '../../src/profile/event.ts'
import { readProfile } from '../../src/profile/read.ts'
import { profileFile, profileWith } from '../signingService.ts'

const readerOf = (envelope: object) => {
  const read = bodyReader(readProfile(profileWith({ envelope })).envelope)
  return (body: unknown) => read(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
}
const STRIPE = { id: 'evt_1', created: 1_767_225_600, data: { object: { amount: 1 } }, type: 'a.b' }

test('members are found where the envelope has them', () => {
  const event = readerOf(profileFile('stripe').envelope!)({ ...STRIPE, livemode: false })
  expect(event).toEqual({
    id: 'evt_1',
    type: 'a.b',
    occurredAt: new Date(1_767_225_600_000),
    data: { amount: 1 },
    workspace: { id: null, slug: null, name: null },
    members: {},
    body: { ...STRIPE, livemode: false },
  })
})

describe('a body without a member of the envelope is rejected, and the member named', () => {
  const read = readerOf(profileFile('stripe').envelope!)
  test.each([
    [{ id: undefined }, 'id'],
    [{ id: 7 }, 'id'],
    [{ type: '' }, 'type'],
    [{ created: '1767225600' }, 'created'],
    [{ created: 1.5 }, 'created'],
    [{ created: 9e15 }, 'created'],
    [{ data: null }, 'data.object'],
    [{ data: { object: [] } }, 'data.object'],
  ])('%j', (change, member) => {
    expect(() => read({ ...STRIPE, ...change })).toThrow(`The member "${member}" of the signed body must be`)
  })
})

test.each(['[]', 'null', '"x"', '7', '{', '\ufeff{}'])('%j is not a body', (body) => {
  for (const envelope of [{ bare: true }, profileFile('stripe').envelope!])
    expect(() => readerOf(envelope)(body)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/envelope_invalid|body_not/) }),
    )
})

test.each([
  ['iso-ms', '2026-01-01T00:00:00.000Z'],
  ['unix-s', 1_767_225_600],
  ['unix-ms', 1_767_225_600_000],
])('a time is read as %s', (as, at) => {
  const read = readerOf({ members: [{ path: 'at', field: 'time', as }] })
  expect(read({ at }).occurredAt).toEqual(new Date(1_767_225_600_000))
})

test('names of prototypes are names like any other', () => {
  const read = readerOf({
    members: [
      { path: 'constructor', field: '__proto__' },
      { path: '__proto__.toString', field: 'valueOf' },
      { path: 'data.__proto__', field: 'id' },
      { path: 'data', field: 'data' },
    ],
  })
  const event = read('{"constructor":1,"__proto__":{"toString":2},"data":{"__proto__":"evt_1","a":1}}')
  expect(Object.entries(event.members)).toEqual([
    ['__proto__', 1],
    ['valueOf', 2],
  ])
  expect(event.id).toBe('evt_1')
  expect(Object.entries(event.data!)).toEqual([['a', 1]])
  expect(() => read('{"data":{}}')).toThrow('data.__proto__')
  expect(Object.keys(readerOf({ members: [{ path: 'constructor', field: 'x' }] })('{}').members)).toEqual([])
})
