import { Anchor, Box, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { busyWorkspacesQuery } from '../../../api/operator.ts'
import { counted, countText, shareText } from '../../../model/numbers.ts'
import { periodName } from '../../../model/periods.ts'
import { countEnded } from '../../../model/stats.ts'
import { usePeriod } from '../../../shared/PeriodControl.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { Panel } from '../Panel.tsx'
import { ServiceName } from '../ServiceName.tsx'

const SHOWN = 10

/** The busiest workspaces. */
export function BusyWorkspaces() {
  const period = usePeriod()
  const read = useQuery(busyWorkspacesQuery(period, SHOWN))
  return (
    <Panel title="Busiest workspaces" read={read} empty={`Nothing was sent in the ${periodName(period)}.`}>
      {(workspaces) => (
        <ul className="ph-entries">
          {workspaces.map(({ workspace, events, deliveries, attempts, failed, success_rate }) => (
            <Box component="li" key={workspace.id} className="ph-entry ph-row" py="xs">
              <Stack gap={2}>
                <Group gap="xs" justify="space-between">
                  <Anchor
                    component={Link}
                    to={`/operator/workspaces/${workspace.id}`}
                    size="sm"
                    className="ph-cover"
                  >
                    <Untrusted>{workspace.name}</Untrusted>
                  </Anchor>
                  <ServiceName dialect={workspace.dialect} />
                </Group>
                <Text size="sm" className="ph-numbers">
                  {counted(events, 'event')}, {countText(deliveries.delivered)} delivered, {countText(failed)}{' '}
                  of {counted(attempts, 'attempt')} failed.
                  {success_rate !== null &&
                    ` ${shareText(success_rate)} of ${counted(countEnded(deliveries), 'finished delivery', 'finished deliveries')} were delivered.`}
                </Text>
              </Stack>
            </Box>
          ))}
        </ul>
      )}
    </Panel>
  )
}
