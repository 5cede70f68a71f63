import { Badge, Box, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { membersQuery } from '../../../api/provisioning.ts'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { Panel } from '../Panel.tsx'
import { OnlyNewest } from './OnlyNewest.tsx'

/** The members of a workspace. */
export function Members({ ws }: { readonly ws: string }) {
  const all = membersQuery(ws)
  const page = useQuery(all)
  const read = useQuery({ ...all, select: ({ data }) => data })
  return (
    <Panel title="Members" read={read} empty="No members yet. Products add them with the admin API.">
      {(members) => (
        <>
          <ul className="ph-entries">
            {members.map(({ id, name, email, role, from_provider, created_at }) => (
              <Box component="li" key={id} className="ph-entry" py="xs">
                <Group justify="space-between" gap="xs">
                  <Text size="sm" component="div" style={{ minWidth: 0 }}>
                    <Untrusted>{name}</Untrusted>{' '}
                    <Text span c="dimmed" inherit>
                      <Untrusted>{email}</Untrusted>
                    </Text>
                  </Text>
                  <Group gap="xs">
                    <Text size="xs" c="dimmed" component="div">
                      added <Time at={created_at} as="relative" />
                      {from_provider && ' by the identity provider'}
                    </Text>
                    <Badge variant="default" tt="none">
                      {role}
                    </Badge>
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
