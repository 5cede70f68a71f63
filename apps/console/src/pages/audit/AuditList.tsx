import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { IconFilterOff, IconHistory } from '@tabler/icons-react'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type AuditEntry, nameText } from '../../model/audit.ts'
import { shortId } from '../../model/shortId.ts'
import { Empty, Failure, Loading } from '../../shared/states.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { AuditEntryRow, type AuditView } from './AuditEntryRow.tsx'

type Read = Pick<
  UseInfiniteQueryResult<unknown>,
  'isPending' | 'isError' | 'error' | 'refetch' | 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'
>

/** Entries of the audit log, newest first. @param target filters by the id of a target */
export function AuditList(props: {
  readonly read: Read
  readonly entries: readonly AuditEntry[]
  readonly target: string | null
  readonly view: AuditView
}) {
  const { read, entries, target, view } = props
  return (
    <Stack>
      {target !== null && (
        <Group gap="xs">
          <Text size="sm" component="div">
            Only entries about <Untrusted>{nameIn(entries, target) ?? shortId(target)}</Untrusted>.
          </Text>
          <Button
            component={Link}
            to="."
            search={{} as never}
            size="xs"
            variant="default"
            leftSection={<IconFilterOff size={15} />}
          >
            Show all entries
          </Button>
        </Group>
      )}
      {read.isPending && <Loading />}
      {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
      {!read.isPending && !read.isError && entries.length === 0 && (
        <Empty
          icon={<IconHistory size={24} />}
          title={target === null ? 'No entries yet' : 'No entries about this item'}
        >
          Changes are listed here with the time and the user. Entries are kept for a year.
        </Empty>
      )}
      {entries.length > 0 && (
        <Card withBorder padding={0}>
          <ul className="ph-entries">
            {entries.map((entry) => (
              <AuditEntryRow
                key={[entry.at, entry.action, entry.target.id, entry.requestId].join()}
                entry={entry}
                view={view}
              />
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
            Show older entries
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function nameIn(entries: readonly AuditEntry[], targetId: string): string | null {
  const entry = entries.find(({ target }) => target.id === targetId)
  return entry === undefined ? null : nameText(entry.target)
}
