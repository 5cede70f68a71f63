import { SimpleGrid } from '@mantine/core'
import { countText, shareText } from '../../model/numbers.ts'
import { countAttempts, type Percentiles, type Stats } from '../../model/stats.ts'
import { capitalized } from '../../model/words.ts'
import { durationText } from '../time.ts'
import { BigNumber } from './BigNumber.tsx'
import classes from './statsTotals.module.css'

/** Totals of a period. @param failedWord the service's word for failed deliveries */
export function StatsTotals({
  stats: { totals },
  failedWord,
}: {
  readonly stats: Stats
  readonly failedWord: string
}) {
  const { deliveries, success_rate: rate } = totals
  const attempts = countAttempts(totals.attempts)
  const failed = attempts - (totals.attempts.delivered ?? 0)
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm">
      <BigNumber
        label="Delivered"
        value={countText(deliveries.delivered)}
        detail={`${countText(deliveries.delivered_first_attempt)} at the first attempt`}
      />
      <BigNumber
        label="Success rate"
        value={rate === null ? '–' : shareText(rate)}
        detail="of finished deliveries"
      />
      <BigNumber
        label={capitalized(failedWord)}
        value={countText(deliveries.failed)}
        detail={`${countText(deliveries.canceled)} canceled`}
      />
      <Percentile label="Response time (median)" times={totals.response_ms} />
      <BigNumber label="Events" value={countText(totals.events)} />
      <BigNumber label="Attempts" value={countText(attempts)} detail={`${countText(failed)} failed`} />
      <div className={classes.last}>
        <Percentile label="Time to delivery (median)" times={totals.delivery_ms} />
      </div>
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
