import { Group, Text } from '@mantine/core'
import type { DetailedWebhookSummary } from '../../../../api/webhookSummaries.ts'
import { limitText, type Webhook } from '../../../../model/webhook.ts'
import { CopyIcon } from '../../../../shared/Copy.tsx'
import { EventTypeBadges } from '../../../../shared/EventTypeBadges.tsx'
import { Fact, Facts } from '../../../../shared/Facts.tsx'
import { Time } from '../../../../shared/Time.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'

export function Details(props: {
  readonly webhook: Webhook
  readonly summary: DetailedWebhookSummary | null
}) {
  const { webhook, summary } = props
  return (
    <Facts>
      <Fact name="URL">
        <Untrusted mono>{webhook.url}</Untrusted>
      </Fact>
      <Fact name="Description">
        {webhook.description === '' ? (
          <Text span inherit c="dimmed">
            none
          </Text>
        ) : (
          <Untrusted>{webhook.description}</Untrusted>
        )}
      </Fact>
      <Fact name="Event types">
        <EventTypeBadges types={webhook.eventTypes} shown={webhook.eventTypes.length} />
      </Fact>
      <Fact name="Limit">
        {limitText(webhook) ?? (
          <Text span inherit c="dimmed">
            none
          </Text>
        )}
      </Fact>
      <Fact name="Added">
        <Time at={webhook.createdAt} />
        {summary !== null && <AddedBy by={summary.created_by} />}
      </Fact>
      <Fact name="Changed">
        <Time at={webhook.updatedAt} />
      </Fact>
      <Fact name="Id">
        <Group gap={4} wrap="nowrap">
          <Untrusted mono>{webhook.id}</Untrusted>
          <CopyIcon value={webhook.id} what="id" />
        </Group>
      </Fact>
    </Facts>
  )
}

function AddedBy({ by }: { readonly by: DetailedWebhookSummary['created_by'] }) {
  const { type, name, email } = by
  if (type === 'key') {
    return (
      <>
        {' '}
        with{' '}
        {name === null ? (
          'a deleted API key'
        ) : (
          <>
            the API key <Untrusted>{name}</Untrusted>
          </>
        )}
        {email !== null && (
          <>
            {' '}
            of <Untrusted>{email}</Untrusted>
          </>
        )}
      </>
    )
  }
  if (name === null && email === null) return ' by a removed member'
  return (
    <>
      {' '}
      by <Untrusted>{name ?? email ?? ''}</Untrusted>
      {name !== null && email !== null && (
        <Text span inherit c="dimmed">
          {' '}
          <Untrusted>{email}</Untrusted>
        </Text>
      )}
    </>
  )
}
