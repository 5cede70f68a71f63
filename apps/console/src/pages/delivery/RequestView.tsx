import { Group, Stack, Text, Title } from '@mantine/core'
import { curlCommand } from '../../model/curl.ts'
import type { Attempt } from '../../model/delivery.ts'
import { CopyButton } from '../../shared/Copy.tsx'
import { HeadersTable } from '../../shared/HeadersTable.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { BodyView } from './BodyView.tsx'

/** Placeholder for values that the viewer may not read. */
const NOT_SHOWN = 'hidden'

/** The sent request, and a curl command that repeats it. */
export function RequestView({ attempt, body }: { readonly attempt: Attempt; readonly body: string | null }) {
  const { request } = attempt
  if (request === null) {
    return (
      <Stack gap={6}>
        <Title order={3}>Request</Title>
        <Text size="sm" c="dimmed">
          {body === null ? 'Loading…' : 'The request was not stored.'}
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
          The copied command contains the signature and the timestamp of this attempt. Receivers that check
          the timestamp reject the request after a few minutes.
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
        <BodyView body={body} encoding="utf-8" what="request body" empty="The body was empty." />
      )}
    </Stack>
  )
}
