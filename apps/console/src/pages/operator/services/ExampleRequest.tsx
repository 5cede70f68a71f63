import { Group, Stack, Text } from '@mantine/core'
import type { ExampleRequest as Request } from '../../../api/services.ts'
import { CopyIcon } from '../../../shared/Copy.tsx'
import { HeadersTable } from '../../../shared/HeadersTable.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { BodyView } from '../../delivery/BodyView.tsx'
import { UNSIGNED } from './serviceWords.ts'

/** Prefix of Ed25519 public keys. */
const PUBLIC_KEY = 'whpk_'

/** An example request of a service, with the key for verifying its signatures. */
export function ExampleRequest({ request }: { readonly request: Request }) {
  const { type, headers, body, secret } = request
  const keyName = secret?.startsWith(PUBLIC_KEY) === true ? 'public key' : 'secret'
  return (
    <Stack gap="sm">
      <Text size="sm" component="div">
        Event type{' '}
        <Untrusted mono isName>
          {type}
        </Untrusted>
      </Text>
      <HeadersTable headers={headers} />
      <BodyView body={body} encoding="utf-8" what="request body" empty="The body is empty." />
      {secret === null ? (
        <Text size="sm">Not signed. {UNSIGNED}</Text>
      ) : (
        <div>
          <Text size="sm" c="dimmed">
            Example {keyName} for verification
          </Text>
          <Group gap={4} wrap="nowrap">
            <Untrusted mono>{secret}</Untrusted>
            <CopyIcon value={secret} what={keyName} />
          </Group>
        </div>
      )}
    </Stack>
  )
}
