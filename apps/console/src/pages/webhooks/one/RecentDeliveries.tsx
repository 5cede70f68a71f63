import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { REFRESH_MS } from '../../../api/webhookSummaries.ts'
import { Failure, Loading } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { DeliveryTable } from '../../deliveries/DeliveryTable.tsx'

const SHOWN = 10

/** The newest deliveries of one webhook; all of them are a click away. */
export function RecentDeliveries({ webhookId }: { readonly webhookId: string }) {
  const { id: ws, ref, service } = useWorkspace()
  const recent = useQuery({
    queryKey: ['deliveries', ws, 'recent', webhookId],
    refetchInterval: REFRESH_MS / 2,
    queryFn: ({ signal }) =>
      service.listDeliveries({ filter: { webhookId }, cursor: null, limit: SHOWN, signal }),
  })
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
              See all
            </Anchor>
          )}
        </Group>
        {recent.isPending && <Loading />}
        {recent.data === undefined && recent.isError && (
          <Failure error={recent.error} retry={() => void recent.refetch()} />
        )}
        {recent.isSuccess && rows.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing was sent yet. The first delivery appears here by itself.
          </Text>
        )}
        {rows.length > 0 && <DeliveryTable rows={rows} withWebhook={false} selection={null} />}
      </Stack>
    </Card>
  )
}
