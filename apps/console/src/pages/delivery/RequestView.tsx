import { Group, Stack, Text, Title } from '@mantine/core'
import { curlCommand } from '../../model/curl.ts'
import type { Attempt } from '../../model/delivery.ts'
import { CopyButton } from '../../shared/Copy.tsx'
import { HeadersTable } from '../../shared/HeadersTable.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { BodyView } from './BodyView.tsx'

/** Said in place of what the service leaves out for those who may not read events. */
const NOT_SHOWN = 'not shown to you'

/** What was sent, header by header, and as a command that sends it again. */
export function RequestView({ attempt, body }: { readonly attempt: Attempt; readonly body: string | null }) {
  const { request } = attempt
  if (request === null) {
    return (
      <Stack gap={6}>
        <Title order={3}>Request</Title>
        <Text size="sm" c="dimmed">
          {body === null ? 'Reading it…' : 'It was not kept.'}
        </Text>
      </Stack>
    )
  }
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Title order={3}>Request</Title>
        {body !== null && <CopyButton value={curlCommand(request, body)}>Copy as curl</CopyButton>}
      </Group>
      {body !== null && (
        <Text size="xs" c="dimmed">
          The copied command carries the signature and the time of this attempt. Receivers that check the time
          refuse it once it is a few minutes old.
        </Text>
      )}
      <Text size="sm" component="div" className="ph-mono">
        POST <Untrusted>{request.url}</Untrusted>
      </Text>
      <HeadersTable headers={request.headers} hidden={NOT_SHOWN} />
      {body === null ? (
        <Text size="sm" c="dimmed">
          Body: {NOT_SHOWN}
        </Text>
      ) : (
        <BodyView body={body} encoding="utf-8" what="request body" empty="Its body was empty." />
      )}
    </Stack>
  )
}
