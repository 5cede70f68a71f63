import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { nodesQuery } from '../../../api/operator.ts'
import { counted, countText } from '../../../model/numbers.ts'
import { BigNumber } from '../../../shared/stats/BigNumber.tsx'
import { Time } from '../../../shared/Time.tsx'
import { durationText } from '../../../shared/time.ts'
import { useNow } from '../../../shared/useNow.ts'

/** The current queue. */
export function QueueNow() {
  const { data } = useQuery(nodesQuery)
  const now = useNow(1_000)
  if (data === undefined) return null
  const { pending, due, limited, oldest_due_at: since } = data.queue
  const alive = data.data.filter((node) => node.alive).length
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <BigNumber
        label="Pending now"
        value={countText(pending)}
        detail="including those that wait for a retry"
      />
      <BigNumber
        label="Due now"
        value={countText(due)}
        detail={
          limited > 0
            ? `${countText(limited)} more wait for limits of webhooks`
            : due === 0
              ? 'no delivery is overdue'
              : 'sent immediately'
        }
      />
      <BigNumber
        label="Oldest due"
        value={since === null ? '–' : durationText(Math.max(0, now - new Date(since).getTime()))}
        detail={
          since === null ? (
            'no delivery is due'
          ) : (
            <>
              since <Time at={since} as="short" />
            </>
          )
        }
      />
      <BigNumber
        label="Nodes running"
        value={countText(alive)}
        detail={`of ${counted(data.data.length, 'node')}`}
      />
    </SimpleGrid>
  )
}
