import { Alert, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { deliveriesText } from '../../../model/numbers.ts'
import { limitText, type Webhook } from '../../../model/webhook.ts'
import { estimateText } from '../../../shared/time.ts'
import { useNow } from '../../../shared/useNow.ts'

/** Smaller backlogs are normal. */
const WORTH_TELLING = 10

/** The backlog of a webhook with a limit, and when it will be empty. */
export function BacklogNotice(props: {
  readonly webhook: Webhook
  readonly backlog: NonNullable<DetailedWebhookSummary['backlog']>
}) {
  const { webhook, backlog } = props
  const now = useNow(1_000)
  const { length, has_more: more, empty_at: emptyAt } = backlog
  if (length < WORTH_TELLING) return null
  return (
    <Alert
      color="blue"
      variant="light"
      icon={<IconHourglass size={20} />}
      title={`${more ? 'More than ' : ''}${deliveriesText(length)} wait because of the limit`}
    >
      <Text size="sm" component="div">
        The limit is {limitText(webhook)}.{' '}
        {emptyAt === null
          ? 'No event is lost: deliveries wait until the limit allows them.'
          : `Without new events, all of them will be sent ${estimateText(emptyAt, now)}.`}
      </Text>
    </Alert>
  )
}
