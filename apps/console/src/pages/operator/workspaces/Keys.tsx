import { Badge, Box, Code, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Key, keysQuery } from '../../../api/provisioning.ts'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useNow } from '../../../shared/useNow.ts'
import { Panel } from '../Panel.tsx'
import { OnlyNewest } from './OnlyNewest.tsx'

const LOOK_EVERY_MS = 60_000

/** The API keys of a workspace, without their secret values. */
export function Keys({ ws }: { readonly ws: string }) {
  const all = keysQuery(ws)
  const page = useQuery(all)
  const read = useQuery({ ...all, select: ({ data }) => data })
  const now = useNow(LOOK_EVERY_MS)
  return (
    <Panel title="API keys" read={read} empty="No API keys yet. Products create them with the admin API.">
      {(keys) => (
        <>
          <ul className="ph-entries">
            {keys.map((key) => (
              <Box component="li" key={key.id} className="ph-entry" py="xs">
                <Group justify="space-between" gap="xs">
                  <Group gap="xs" style={{ minWidth: 0 }}>
                    <Text size="sm" component="div" className="ph-wrap">
                      <Untrusted>{key.name}</Untrusted>
                    </Text>
                    {key.scopes.map((scope) => (
                      <Code key={scope}>
                        <Untrusted>{scope}</Untrusted>
                      </Code>
                    ))}
                  </Group>
                  <Group gap="xs">
                    <Text size="xs" c="dimmed" component="div">
                      {key.last_used_at === null ? (
                        'never used'
                      ) : (
                        <>
                          used <Time at={key.last_used_at} as="relative" />
                        </>
                      )}
                    </Text>
                    <State of={key} now={now} />
                  </Group>
                </Group>
              </Box>
            ))}
          </ul>
          <OnlyNewest page={page.data} />
        </>
      )}
    </Panel>
  )
}

function State({ of: { revoked_at, expires_at }, now }: { readonly of: Key; readonly now: number }) {
  if (revoked_at !== null) {
    return (
      <Badge color="gray" tt="none">
        revoked
      </Badge>
    )
  }
  const expired = expires_at !== null && new Date(expires_at).getTime() <= now
  return (
    <Badge color={expired ? 'gray' : 'green'} tt="none">
      {expired ? 'expired' : 'valid'}
    </Badge>
  )
}
