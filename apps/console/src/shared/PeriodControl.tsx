import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { PeriodSearch } from '../model/periodSearch.ts'
import { PERIODS, type Period, periodLabel } from '../model/periods.ts'

const DEFAULT_PERIOD: Period = '24h'

/** The period in the URL, or the default. */
export function usePeriod(): Period {
  const { period } = useSearch({ strict: false }) as PeriodSearch
  return period ?? DEFAULT_PERIOD
}

/** Chooses the period of the metrics. It is part of the URL, so that a link shows the same. */
export function PeriodControl() {
  const period = usePeriod()
  const navigate = useNavigate()
  const choose = (chosen: string) =>
    void navigate({
      to: '.',
      // Keeps the other search parameters. Every route with this control validates `period`.
      search: ((before: object) => ({ ...before, period: chosen })) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <SegmentedControl
      aria-label="Period"
      size="xs"
      data={PERIODS.map((value) => ({ value, label: periodLabel(value) }))}
      value={period}
      onChange={choose}
    />
  )
}
