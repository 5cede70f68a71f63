import { Badge, Box, Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { nodesQuery } from '../../../api/operator.ts'
import type { NodeState } from '../../../model/health.ts'
import { Time } from '../../../shared/Time.tsx'
import { Panel } from '../Panel.tsx'

/** The nodes of the service and their leases. */
export function Nodes() {
  const read = useQuery({ ...nodesQuery, select: ({ data }) => data })
  return (
    <Panel title="Nodes" read={read} empty="No node has a lease.">
      {(nodes) => (
        <ul className="ph-entries">
          {nodes.map((node) => (
            <Row key={node.id} node={node} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Row({ node }: { readonly node: NodeState }) {
  const { id, answering, alive, started_at, lease_expires_at } = node
  return (
    <Box component="li" className="ph-entry" py="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            Node {id}
          </Text>
          {alive ? (
            <Badge color="green" tt="none" leftSection={<IconCircleCheck size={13} />}>
              running
            </Badge>
          ) : (
            <Badge color="red" tt="none" leftSection={<IconCircleX size={13} />}>
              stopped
            </Badge>
          )}
          {answering && (
            <Badge variant="default" tt="none">
              serves this page
            </Badge>
          )}
        </Group>
        <Stack gap={0}>
          <Text size="xs" c="dimmed" component="div">
            {started_at !== null && (
              <>
                Started <Time at={started_at} as="relative" />
              </>
            )}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            Its lease {alive ? 'ends' : 'ended'} <Time at={lease_expires_at} as="relative" />
          </Text>
        </Stack>
      </Group>
    </Box>
  )
}
