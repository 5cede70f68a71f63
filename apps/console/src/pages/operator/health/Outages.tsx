import { Box, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { outagesQuery } from '../../../api/operator.ts'
import type { Outage } from '../../../model/health.ts'
import { deliveriesText } from '../../../model/numbers.ts'
import { Time } from '../../../shared/Time.tsx'
import { durationText } from '../../../shared/time.ts'
import { Panel } from '../Panel.tsx'

const SHOWN = 10

/** Periods in which no node could send. They delay when a failing webhook is disabled. */
export function Outages() {
  const read = useQuery({ ...outagesQuery, select: (outages) => outages.slice(0, SHOWN) })
  return (
    <Panel title="Outages" read={read} empty="No outages: at least one node could send at all times.">
      {(outages) => (
        <ul className="ph-entries">
          {outages.map((outage) => (
            <Row key={outage.began_at} outage={outage} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Row({ outage: { began_at, ended_at, waited } }: { readonly outage: Outage }) {
  return (
    <Box component="li" className="ph-entry" py="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" component="div">
          {ended_at === null ? (
            <>
              Nothing has been sent since <Time at={began_at} />
            </>
          ) : (
            <>
              Nothing was sent from <Time at={began_at} /> to <Time at={ended_at} />
            </>
          )}
        </Text>
        <Text size="xs" c="dimmed">
          {ended_at !== null && `${durationText(Date.parse(ended_at) - Date.parse(began_at))}, `}
          {deliveriesText(waited)} {ended_at === null ? 'so far' : 'waited'}
        </Text>
      </Group>
    </Box>
  )
}
