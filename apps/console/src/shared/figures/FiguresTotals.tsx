import { SimpleGrid } from '@mantine/core'
import { countAttempts, type Figures, type Percentiles } from '../../model/figures.ts'
import { countText, shareText } from '../../model/numbers.ts'
import { durationText } from '../time.ts'
import { BigNumber } from './BigNumber.tsx'

/** What a period comes to. */
export function FiguresTotals({ figures: { totals } }: { readonly figures: Figures }) {
  const attempts = countAttempts(totals.attempts)
  const failed = attempts - (totals.attempts.delivered ?? 0)
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
      <BigNumber label="Events" value={countText(totals.events)} />
      <BigNumber label="Attempts" value={countText(attempts)} detail={`${countText(failed)} failed`} />
      <BigNumber
        label="Success rate"
        value={totals.success_rate === null ? '–' : shareText(totals.success_rate)}
        detail="of the attempts"
      />
      <Percentile label="Response time (median)" times={totals.response_ms} />
      <Percentile label="Time to delivery (median)" times={totals.delivery_ms} />
    </SimpleGrid>
  )
}

const Percentile = ({ label, times }: { readonly label: string; readonly times: Percentiles | null }) =>
  times === null ? (
    <BigNumber label={label} value="–" />
  ) : (
    <BigNumber
      label={label}
      value={durationText(times.p50)}
      detail={`p95 ${durationText(times.p95)} · p99 ${durationText(times.p99)}`}
    />
  )
