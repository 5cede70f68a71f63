import { Alert, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import type { DetailedWebhookSummary } from '../../../api/webhookSummaries.ts'
import { deliveriesText } from '../../../model/numbers.ts'
import { limitText, type Webhook } from '../../../model/webhook.ts'
import { estimateText } from '../../../shared/time.ts'
import { useNow } from '../../../shared/useNow.ts'

/** Fewer than this are on their way, limit or not. */
const WORTH_TELLING = 10

/** What waits because of the webhook's limit, and until when: nothing to worry about. */
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
          ? 'Nothing is lost: deliveries wait until the limit allows them.'
          : `If no event is added, all of them will have been sent ${estimateText(emptyAt, now)}.`}
      </Text>
    </Alert>
  )
}
