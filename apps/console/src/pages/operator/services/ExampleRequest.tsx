import { Group, Stack, Text } from '@mantine/core'
import type { ExampleRequest as Request } from '../../../api/services.ts'
import { CopyIcon } from '../../../shared/Copy.tsx'
import { HeadersTable } from '../../../shared/HeadersTable.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { BodyView } from '../../delivery/BodyView.tsx'
import { UNSIGNED } from './serviceWords.ts'

/** Public keys of Ed25519 begin with this. */
const PUBLIC_KEY = 'whpk_'

/** A made-up request of a service: its event type, headers and body, and what its signatures are verified with. */
export function ExampleRequest({ request }: { readonly request: Request }) {
  const { type, headers, body, secret } = request
  return (
    <Stack gap="sm">
      <Text size="sm" component="div">
        Event type{' '}
        <Untrusted mono isName>
          {type}
        </Untrusted>
      </Text>
      <HeadersTable headers={headers} />
      <BodyView body={body} encoding="utf-8" what="request body" empty="Its body is empty." />
      {secret === null ? (
        <Text size="sm">Not signed. {UNSIGNED}</Text>
      ) : (
        <div>
          <Text size="sm" c="dimmed">
            {secret.startsWith(PUBLIC_KEY) ? 'Made-up public key' : 'Made-up secret'} that verifies it
          </Text>
          <Group gap={4} wrap="nowrap">
            <Untrusted mono>{secret}</Untrusted>
            <CopyIcon value={secret} what="what verifies it" />
          </Group>
        </div>
      )}
    </Stack>
  )
}
