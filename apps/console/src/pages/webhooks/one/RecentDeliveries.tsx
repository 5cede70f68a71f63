import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Failure, Loading } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { DeliveryTable } from '../../deliveries/DeliveryTable.tsx'
import { useRecentDeliveries } from './useRecentDeliveries.ts'

/** The newest deliveries of a webhook, with a link to all. */
export function RecentDeliveries({ webhookId }: { readonly webhookId: string }) {
  const { ref } = useWorkspace()
  const recent = useRecentDeliveries(webhookId)
  const rows = recent.data?.items ?? []
  return (
    <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>Recent deliveries</Title>
          {rows.length > 0 && (
            <Anchor
              component={Link}
              to={`/w/${ref}/deliveries`}
              search={{ webhook: webhookId } as never}
              size="sm"
            >
              Show all
            </Anchor>
          )}
        </Group>
        {recent.isPending && <Loading />}
        {recent.data === undefined && recent.isError && (
          <Failure error={recent.error} retry={() => void recent.refetch()} />
        )}
        {recent.isSuccess && rows.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing was sent yet. The first delivery will appear here.
          </Text>
        )}
        {rows.length > 0 && <DeliveryTable rows={rows} withWebhook={false} selection={null} />}
      </Stack>
    </Card>
  )
}
