import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { WebhookSummary } from '../../../../api/overviews.ts'
import type { Webhook } from '../../../../model/webhook.ts'
import { CopyIcon } from '../../../../shared/Copy.tsx'
import { EventTypeBadges } from '../../../../shared/EventTypeBadges.tsx'
import { Time } from '../../../../shared/Time.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'
import classes from './details.module.css'

export function Details(props: { readonly webhook: Webhook; readonly summary: WebhookSummary | null }) {
  const { webhook, summary } = props
  return (
    <dl className={classes.list}>
      <Line term="URL">
        <Untrusted mono>{webhook.url}</Untrusted>
      </Line>
      <Line term="Description">
        {webhook.description === '' ? (
          <Text span inherit c="dimmed">
            none
          </Text>
        ) : (
          <Untrusted>{webhook.description}</Untrusted>
        )}
      </Line>
      <Line term="Events">
        <EventTypeBadges types={webhook.eventTypes} shown={webhook.eventTypes.length} />
      </Line>
      <Line term="Added">
        <Time at={webhook.createdAt} />
        {summary !== null && <AddedBy by={summary.created_by} />}
      </Line>
      <Line term="Changed">
        <Time at={webhook.updatedAt} />
      </Line>
      <Line term="Id">
        <Group gap={4}>
          <Untrusted mono>{webhook.id}</Untrusted>
          <CopyIcon value={webhook.id} what="id" />
        </Group>
      </Line>
    </dl>
  )
}

const Line = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <>
    <Text component="dt" size="sm" c="dimmed">
      {term}
    </Text>
    <Text component="dd" size="sm" m={0} miw={0}>
      {children}
    </Text>
  </>
)

function AddedBy({ by }: { readonly by: WebhookSummary['created_by'] }) {
  const { type, name, email } = by
  if (type === 'key') {
    return (
      <>
        {' '}
        with{' '}
        {name === null ? (
          'an API key that is gone'
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
  if (name === null && email === null) return ' by a member who is gone'
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
