import '@mantine/core/styles/Timeline.css'
import { Timeline } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import type { Delivery } from '../../model/delivery.ts'
import { AttemptCard } from './AttemptCard.tsx'

/** The recorded attempts, latest first and expanded. */
export function AttemptList({ delivery }: { readonly delivery: Delivery }) {
  const { attempts, requestBody } = delivery
  // Attempts that the user expanded or collapsed. The latest is expanded by default.
  const [byHand, setByHand] = useState<ReadonlyMap<number, boolean>>(new Map())
  return (
    <Timeline bulletSize={26} lineWidth={2} active={attempts.length}>
      {attempts.toReversed().map((attempt, place) => {
        const good = attempt.error === null
        const opened = byHand.get(attempt.number) ?? place === 0
        return (
          <Timeline.Item
            key={attempt.number}
            color={good ? 'green.8' : 'red.8'}
            bullet={good ? <IconCheck size={15} /> : <IconAlertTriangle size={15} />}
          >
            <AttemptCard
              attempt={attempt}
              requestBody={requestBody}
              opened={opened}
              onToggle={() => setByHand(new Map(byHand).set(attempt.number, !opened))}
            />
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}
