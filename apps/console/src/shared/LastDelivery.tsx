import { Stack, Text } from '@mantine/core'
import type { WebhookSummary } from '../api/webhookSummaries.ts'
import { attemptHelp } from '../model/attemptHelp.ts'
import { DeliveryBadge } from './StatusBadge.tsx'
import { Stat } from './stats/Stat.tsx'
import { Time } from './Time.tsx'

type Delivery = NonNullable<WebhookSummary['last_delivery']>

const wasAttempted = ({ status_code, error_code }: Delivery) => status_code !== null || error_code !== null

/** The newest delivery or test of a webhook: the response to its latest attempt, its status and its time. */
export function LastDelivery({ delivery }: { readonly delivery: Delivery | null }) {
  if (delivery === null) {
    return (
      <Stat label="Latest delivery">
        <Text size="sm" c="dimmed">
          none yet
        </Text>
      </Stat>
    )
  }
  const { status, status_code, error_code, at } = delivery
  const attempted = wasAttempted(delivery)
  const error = error_code === null ? null : { code: error_code, message: '' }
  return (
    <Stat label={attempted ? 'Latest response' : 'Latest delivery'}>
      <Stack gap={2} align="flex-start">
        {attempted && (
          <Text size="sm" className="ph-numbers">
            {attemptHelp({ error, statusCode: status_code }).short}
          </Text>
        )}
        <DeliveryBadge status={status} />
        {/* On a separate line, so that the height of a row does not depend on the age. */}
        <Text size="xs" c="dimmed" component="div">
          <Time at={at} as="relative" />
        </Text>
      </Stack>
    </Stat>
  )
}
