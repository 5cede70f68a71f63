import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PERIODS, type Period } from '../model/figures.ts'
import type { PeriodSearch } from '../model/periodSearch.ts'

const LABELS: Readonly<Record<Period, string>> = { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' }
const NAMES: Readonly<Record<Period, string>> = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
}

const DEFAULT_PERIOD: Period = '24h'

export const periodName = (period: Period): string => NAMES[period]

/** The period that the address names. */
export function usePeriod(): Period {
  const { period } = useSearch({ strict: false }) as PeriodSearch
  return period ?? DEFAULT_PERIOD
}

/** Chooses how far back figures go; the choice is in the address, so that a link shows the same. */
export function PeriodControl() {
  const period = usePeriod()
  const navigate = useNavigate()
  const choose = (chosen: string) =>
    void navigate({
      to: '.',
      // Whatever else is in the address stays; routes that have this control know the member.
      search: ((before: object) => ({ ...before, period: chosen })) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <SegmentedControl
      aria-label="Period"
      size="xs"
      data={PERIODS.map((value) => ({ value, label: LABELS[value] }))}
      value={period}
      onChange={choose}
    />
  )
}
