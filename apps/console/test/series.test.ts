import { describe, expect, it } from 'vitest'
import { axisTimes } from '../src/shared/chart/axisTimes.ts'
import { lonePlaces, type Series, stacked, tellingPlaces, valueText } from '../src/shared/chart/series.ts'

const of = (...values: (number | null)[]): Series => ({ label: 'a', color: 'good', values })

describe('stacked bars', () => {
  it('reach up to the sum of all below', () => {
    expect(stacked([of(1, 2), of(10, 0), of(100, 5)])).toEqual([
      [1, 2],
      [11, 2],
      [111, 7],
    ])
  })
  it('have a gap only where nothing is known', () => {
    expect(stacked([of(null, null), of(null, 3)])).toEqual([
      [null, null],
      [null, 3],
    ])
  })
})

describe('lonePlaces', () => {
  it('finds values that no line connects, also at the ends', () => {
    expect(lonePlaces([1, null, 2, 3, null, 4, null, 0])).toEqual([0, 5, 7])
  })
})

describe('tellingPlaces', () => {
  it('omits times without events or data', () => {
    expect(tellingPlaces([of(0, 1, null), of(null, 0, 2)])).toEqual([1, 2])
  })
})

describe('valueText', () => {
  it('says that a value is unknown', () => expect(valueText(null, 'count')).toBe('–'))
  it('groups the digits of counts', () => expect(valueText(1_204, 'count')).toBe('1,204'))
  it('formats durations in common units', () => expect(valueText(1_400, 'duration')).toBe('1.4 s'))
})

describe('axisTimes', () => {
  const at = (iso: string) => new Date(iso).getTime() / 1_000
  it("names the day where it begins in the viewer's time zone", () => {
    const [before, midnight] = axisTimes(
      [at('2026-03-04T22:00:00Z'), at('2026-03-04T23:00:00Z')],
      3_600,
      'Europe/Berlin',
    )
    expect(before).toMatch(/11|23/)
    expect(midnight).toMatch(/5/)
    expect(midnight).toMatch(/Mar/)
  })
  it('shows only days when the marks are days apart', () => {
    expect(axisTimes([at('2026-03-04T10:00:00Z')], 86_400, 'UTC')[0]).toMatch(/Mar/)
  })
})
