import { Alert, Button, Group, Text } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { arrivedAgain, type Delivery } from '../../model/delivery.ts'
import { othersText } from '../../model/failedSoFar.ts'
import { failedWordOf } from '../../model/service.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { useFailedSoFar } from '../deliveries/useFailedSoFar.ts'

/** Most failed deliveries that are counted. */
const LOOKED_AT = 100
/** Failed deliveries are counted from this long before the current one. */
const LOOKS_BACK_MS = 24 * 3_600_000

/** After a successful resend: other failed deliveries of the webhook, and a link for resending them. */
export function RecoverOthers({ delivery }: { readonly delivery: Delivery }) {
  const { ref, mayChange, service } = useWorkspace()
  const { noun, canReplayMany, canRecover, canRetry } = service.features
  const { webhookId } = delivery
  const failedWord = failedWordOf(service.features)
  const wanted = mayChange && arrivedAgain(delivery) && (canReplayMany || canRecover || canRetry)
  const failed = useFailed(wanted ? delivery : null, failedWord)
  const pending = useFailedSoFar(wanted ? { webhookId } : null)
  if (failed === null || pending === null) return null
  const text = othersText({ failed, pending }, { noun, failedWord })
  if (text === null) return null
  const some = failed.count > 0
  return (
    <Alert color="blue" variant="light" icon={<IconRestore size={20} />} title="This delivery succeeded">
      <Text size="sm">{text}</Text>
      <Group mt="xs">
        <Button
          size="xs"
          renderRoot={(root) =>
            some && canReplayMany ? (
              <Link {...root} to="/w/$ws/replays" params={{ ws: ref }} search={{ webhook: webhookId }} />
            ) : (
              <Link {...root} to="/w/$ws/webhooks/$id" params={{ ws: ref, id: webhookId }} hash="recover" />
            )
          }
        >
          {some && canReplayMany
            ? 'Choose deliveries to replay'
            : some && canRecover
              ? 'Choose deliveries to recover'
              : `Go to the ${noun}`}
        </Button>
      </Group>
    </Alert>
  )
}

/** Counts recent failed deliveries of the webhook. @param delivery `null`: disabled */
function useFailed(delivery: Delivery | null, status: 'failed' | 'dead') {
  const { id: ws, service } = useWorkspace()
  const { webhookId, createdAt, id } = delivery ?? {}
  const { data } = useQuery({
    queryKey: ['deliveries', ws, 'failed lately', webhookId, id],
    enabled: delivery !== null,
    queryFn: async ({ signal }) => {
      const from = new Date(Date.parse(createdAt!) - LOOKS_BACK_MS).toISOString()
      const filter = { webhookId, status, from }
      const { items, nextCursor } = await service.listDeliveries({
        filter,
        cursor: null,
        limit: LOOKED_AT,
        signal,
      })
      return { count: items.length, more: nextCursor !== null }
    },
  })
  return data ?? null
}
