import { Badge, Text } from '@mantine/core'
import { type Consumer, isLosingSoon, placeOf } from '../../../model/consumer.ts'
import { counted, countText } from '../../../model/numbers.ts'
import { spanText } from '../../../model/spanText.ts'
import { Time } from '../../../shared/Time.tsx'
import { useNow } from '../../../shared/useNow.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

const LOOK_EVERY_MS = 60_000

/** How many events wait for a consumer. */
export function LagBadge({ lag }: Pick<Consumer, 'lag'>) {
  const place = placeOf(lag)
  return (
    <Badge color={place === 'current' ? 'green' : 'yellow'} tt="none">
      {place === 'current' && 'up to date'}
      {place === 'passing' && 'behind'}
      {place === 'waiting' && `${countText(lag.events)}${lag.hasMore ? '+' : ''} waiting`}
    </Badge>
  )
}

/** Timestamps of a consumer. */
export function Progress({ consumer }: { readonly consumer: Consumer }) {
  const { createdAt, acknowledgedAt, movedAt, lag } = consumer
  return (
    <Text size="xs" c="dimmed" component="div">
      {lag.oldestAt !== null && (
        <>
          Oldest waiting event <Time at={lag.oldestAt} as="relative" />
          {' · '}
        </>
      )}
      {placeOf(lag) === 'passing' && 'The next events are of other types · '}
      {acknowledgedAt === null ? (
        'nothing acknowledged yet'
      ) : (
        <>
          last acknowledged <Time at={acknowledgedAt} as="relative" />
        </>
      )}
      {movedAt !== null && (
        <>
          {' · moved '}
          <Time at={movedAt} as="relative" />
        </>
      )}
      {' · created '}
      <Time at={createdAt} as="relative" />
    </Text>
  )
}

/** Warnings about events that a consumer has lost, or is about to lose. */
export function Warnings({ consumer: { gap, lag } }: { readonly consumer: Consumer }) {
  const { retention_s: retentionS } = useWorkspace().rules
  const now = useNow(LOOK_EVERY_MS)
  return (
    <>
      {gap !== null && (
        <Text size="sm" c="var(--ph-bad)" component="div">
          At least {counted(gap.events, 'event')} {gap.events === 1 ? 'was' : 'were'} removed before{' '}
          {gap.events === 1 ? 'it was' : 'they were'} acknowledged, the last{' '}
          <Time at={gap.noticedAt} as="relative" />. The next acknowledgement clears this message.
        </Text>
      )}
      {isLosingSoon(lag, retentionS, now) && (
        <Text size="sm" c="var(--ph-bad)">
          Events are kept for {spanText(retentionS)}. The oldest waiting events will be removed soon.
        </Text>
      )}
    </>
  )
}
