import { expect, test } from 'vitest'
import { judgeDeliveries } from '../src/bench/fanout/deliveriesOnce.ts'
import { countComplaints, Grid, gridComplaints } from '../src/bench/fanout/grid.ts'
import { markOf, rowIn } from '../src/bench/fanout/gridReceiver.ts'
import { fanoutBatches } from '../src/bench/fanout/receiver.ts'

/** Marks all cells of some rows. */
function fill(grid: Grid, rows: readonly number[], columns: number): void {
  for (const row of rows) for (let column = 0; column < columns; column++) grid.arrive(row, column)
}

test('a full grid has no complaints', () => {
  const grid = new Grid(3, 5)
  fill(grid, [0, 1, 2], 5)
  expect(grid.counts()).toEqual({ arrivals: 15, distinct: 15, repeated: 0, unforgiven: 0, unknown: 0 })
  expect(gridComplaints(grid.rows(), 5, () => true)).toEqual([])
  expect(countComplaints(grid.counts())).toEqual([])
})

test('missing deliveries, and those of events that were not accepted, are counted', () => {
  const grid = new Grid(3, 5)
  fill(grid, [0, 2], 5)
  grid.arrive(1, 4)
  expect(gridComplaints(grid.rows(), 5, (row) => row < 2)).toEqual([
    '4 deliveries of accepted events never arrived',
    '5 deliveries arrived of events that were not accepted',
  ])
})

test('a repeat is forgiven once after each kill, and counted', () => {
  const grid = new Grid(2, 2)
  grid.arrive(1, 1)
  grid.forgive()
  grid.arrive(1, 1)
  expect(grid.counts()).toMatchObject({ distinct: 1, repeated: 1, unforgiven: 0 })
  grid.arrive(1, 1)
  expect(grid.counts()).toMatchObject({ distinct: 1, repeated: 2, unforgiven: 1 })
  expect(countComplaints(grid.counts())).toEqual(['1 deliveries arrived again without a reason'])
})

test.each([
  [2, 0],
  [0, 3],
  [-1, 2],
  [0, -1],
  [Number.NaN, 0],
  [0, Number.NaN],
])('an arrival at row %s and column %s of a grid of 2 by 3 is unknown', (row, column) => {
  const grid = new Grid(2, 3)
  grid.arrive(row, column)
  expect(grid.counts()).toEqual({ arrivals: 1, distinct: 0, repeated: 0, unforgiven: 0, unknown: 1 })
  expect(countComplaints(grid.counts())).toEqual(['1 requests contained no published event'])
})

test('a receiver reads the row of an event from the body', () => {
  expect(rowIn(Buffer.from(`{"payload":{"name":"${markOf(1234)}"}}`))).toBe(1234)
  expect(rowIn(Buffer.from('{"payload":{"name":"row.12"}}'))).toBeNaN()
  expect(rowIn(Buffer.from('{}'))).toBeNaN()
})

test('batches contain each event once, the last one the rest', () => {
  const batches = fanoutBatches(7, 3)
  expect(batches.map(({ firstRow, events }) => [firstRow, events])).toEqual([
    [0, 3],
    [3, 3],
    [6, 1],
  ])
  const names = batches.flatMap(({ body }) =>
    (JSON.parse(body) as { events: { payload: { name: string } }[] }).events.map(
      ({ payload }) => payload.name,
    ),
  )
  expect(names).toEqual(Array.from({ length: 7 }, (_, row) => markOf(row)))
})

test('each endpoint must have one delivery of an event, and it must be delivered', () => {
  const delivery = (webhookId: string, status = 'delivered') => ({ id: 'd', webhookId, status })
  expect(judgeDeliveries([delivery('a'), delivery('b')], ['a', 'b'])).toEqual({
    missing: 0,
    doubled: 0,
    foreign: 0,
    undelivered: 0,
  })
  expect(
    judgeDeliveries([delivery('a'), delivery('a'), delivery('x'), delivery('b', 'pending')], ['a', 'b', 'c']),
  ).toEqual({ missing: 1, doubled: 1, foreign: 1, undelivered: 1 })
})
