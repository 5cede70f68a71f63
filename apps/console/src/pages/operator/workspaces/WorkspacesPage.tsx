import { Anchor, Badge, Box, Button, Card, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconBuildings, IconPlayerPause, IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { workspacesQuery } from '../../../api/operator.ts'
import type { Workspace } from '../../../api/provisioning.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { PageFrame } from '../../../shared/PageFrame.tsx'
import { Empty, Failure, Loading } from '../../../shared/states.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { ServiceName } from '../ServiceName.tsx'
import { useServiceTitles } from '../useServiceTitles.ts'
import { workspacesLike } from './workspacesLike.ts'

/** All workspaces of all services. */
export function WorkspacesPage() {
  const { q = '' } = useSearch({ from: '/operator/workspaces' })
  const navigate = useNavigate({ from: '/operator/workspaces' })
  const search = (text: string) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })
  const read = useInfiniteQuery(workspacesQuery)
  const titleOf = useServiceTitles()
  const loaded = read.data?.pages.flatMap(({ data }) => data) ?? []
  const found = workspacesLike(loaded, q, titleOf)
  return (
    <PageFrame title="Workspaces" lead="Workspaces of all services, newest first.">
      <TextInput
        label="Search"
        description={
          read.hasNextPage ? `Searches the ${loaded.length} loaded workspaces. Load more below.` : undefined
        }
        type="search"
        leftSection={<IconSearch size={16} />}
        placeholder="Name, slug or id"
        value={q}
        onChange={(event) => search(event.currentTarget.value)}
        maw={420}
      />
      {read.isPending && <Loading />}
      {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
      {read.isSuccess && found.length === 0 && (
        <Empty
          icon={<IconBuildings size={24} />}
          title={loaded.length === 0 ? 'No workspaces yet' : 'No workspace matches'}
        >
          {loaded.length === 0 ? (
            <HowToMakeOne />
          ) : (
            `Try fewer letters${read.hasNextPage ? ', or load more below' : ''}.`
          )}
        </Empty>
      )}
      {found.length > 0 && (
        <Card withBorder padding={0}>
          <ul className="ph-entries">
            {found.map((workspace) => (
              <Row key={workspace.id} workspace={workspace} />
            ))}
          </ul>
        </Card>
      )}
      {read.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={read.isFetchingNextPage}
            onClick={() => void read.fetchNextPage()}
          >
            Load more workspaces
          </Button>
        </Group>
      )}
    </PageFrame>
  )
}

const HowToMakeOne = () => (
  <Stack gap="sm">
    <span>
      Your products create workspaces with <Code>POST&nbsp;/admin/v1/workspaces</Code> (see the{' '}
      <Anchor href="/docs" target="_blank" rel="noreferrer" inherit underline="always">
        API reference
      </Anchor>
      ). To create one manually, run:
    </span>
    <Box ta="start">
      <CodeBlock text={MAKING_ONE} what="command" language="bash" />
    </Box>
  </Stack>
)

const MAKING_ONE = `posthorn workspace create \\
  --profile standard \\
  --slug acme --name Acme`

function Row({ workspace }: { readonly workspace: Workspace }) {
  const { id, name, slug, dialect, suspended_at, created_at } = workspace
  return (
    <Box component="li" className="ph-entry ph-row" p="md">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Stack gap={2} style={{ flex: '1 1 220px', minWidth: 0 }}>
          <Anchor component={Link} to={`/operator/workspaces/${id}`} className="ph-cover" fw={600} size="sm">
            <Untrusted>{name}</Untrusted>
          </Anchor>
          <Text size="xs" c="dimmed" component="div">
            <Code>{slug}</Code> created <Time at={created_at} as="relative" />
          </Text>
        </Stack>
        <Group gap="xs">
          {suspended_at !== null && (
            <Badge color="yellow" tt="none" leftSection={<IconPlayerPause size={13} />}>
              suspended
            </Badge>
          )}
          <ServiceName dialect={dialect} />
        </Group>
      </Group>
    </Box>
  )
}
