import { expect, it } from 'vitest'
import { missedSearch, readEventSearch } from '../src/model/eventSearch.ts'

const SINCE = '2026-03-04T10:00:00.123Z'
const UNTIL = '2026-03-04T11:00:00.456Z'

it('links to the events that a webhook missed, by time and types, and survives a round trip through the address', () => {
  const search = missedSearch({ since: SINCE, until: UNTIL }, ['order.paid', 'order.sent'])
  expect(search).toEqual({ from: SINCE, to: UNTIL, type: 'order.paid,order.sent' })
  expect(readEventSearch({ ...search })).toEqual(search)
})

it('has no end while events are still being missed, and no types where the webhook gets all or too many to list', () => {
  expect(missedSearch({ since: SINCE, until: null }, [])).toEqual({ from: SINCE })
  const many = Array.from({ length: 21 }, (_, place) => `order.type${place}`)
  expect(missedSearch({ since: SINCE, until: UNTIL }, many)).toEqual({ from: SINCE, to: UNTIL })
})
