import { Alert, Button, Group, Text } from '@mantine/core'
import { IconSkull } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DeliverySearch } from '../../model/deliverySearch.ts'
import { deliveriesText } from '../../model/numbers.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

const COUNT_EVERY_MS = 30_000

/** Shows the number of dead deliveries, and what to do. Renders nothing if there are none. */
export function DeadNotice({ search }: { readonly search: DeliverySearch }) {
  const { id: ws, ref, service } = useWorkspace()
  const { webhook } = search
  const { data } = useQuery({
    queryKey: ['replayable', ws, { webhookId: webhook }],
    refetchInterval: COUNT_EVERY_MS,
    queryFn: () => service.countReplayable({ webhookId: webhook }),
  })
  if (data === undefined || (data.total === 0 && !data.hasMore)) return null
  const { total, hasMore } = data
  const one = total === 1 && !hasMore
  const count = `${hasMore ? 'At least ' : ''}${deliveriesText(total)}`
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconSkull size={20} />}
      title={one ? 'One delivery is dead' : `${count} are dead`}
    >
      <Text size="sm">
        All attempts failed, and there are no further retries. Fix the receiver first. Then replay{' '}
        {one ? 'it: it restarts' : 'them: each restarts'} its retry schedule.
      </Text>
      <Group gap="xs" mt="xs">
        {search.status !== 'dead' && (
          <Button
            size="xs"
            variant="default"
            renderRoot={(root) => (
              <Link
                {...root}
                to="/w/$ws/deliveries"
                params={{ ws: ref }}
                search={{ status: 'dead', ...(webhook === undefined ? {} : { webhook }) }}
              />
            )}
          >
            Show dead {one ? 'delivery' : 'deliveries'}
          </Button>
        )}
        <Button
          size="xs"
          renderRoot={(root) => (
            <Link
              {...root}
              to="/w/$ws/replays"
              params={{ ws: ref }}
              search={webhook === undefined ? {} : { webhook }}
            />
          )}
        >
          Replay deliveries
        </Button>
      </Group>
    </Alert>
  )
}
