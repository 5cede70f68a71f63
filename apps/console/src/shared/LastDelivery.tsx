import { Stack, Text } from '@mantine/core'
import type { WebhookSummary } from '../api/webhookSummaries.ts'
import { attemptHelp } from '../model/attemptHelp.ts'
import { DeliveryBadge } from './StatusBadge.tsx'
import { Time } from './Time.tsx'

/** How the newest delivery stands, what its latest attempt got, and when. */
export function LastDelivery({
  delivery,
}: {
  readonly delivery: NonNullable<WebhookSummary['last_delivery']>
}) {
  const { status, status_code, error_code, at } = delivery
  const attempted = status_code !== null || error_code !== null
  const error = error_code === null ? null : { code: error_code, message: '' }
  return (
    <Stack gap={2} align="flex-start">
      <DeliveryBadge status={status} />
      {attempted && (
        <Text size="sm" className="ph-numbers">
          {attemptHelp({ error, statusCode: status_code }).short}
        </Text>
      )}
      {/* On a line of its own, however long ago: rows must not change their height as time goes by. */}
      <Text size="xs" c="dimmed" component="div">
        <Time at={at} as="relative" />
      </Text>
    </Stack>
  )
}
