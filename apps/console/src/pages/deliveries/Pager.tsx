import { Button, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react'
import { Link, useLocation, useRouter } from '@tanstack/react-router'
import { type DeliverySearch, isFirstPage } from '../../model/deliverySearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the previous history entry is the next newer page of the same list. */
    readonly newerIsBack?: boolean
  }
}

/** Links to older and newer pages. @param trimmedAt creation time of the last row, if older rows were dropped */
export function Pager(props: {
  readonly search: DeliverySearch
  readonly nextCursor: string | null
  readonly trimmedAt: string | null
}) {
  const { search, nextCursor, trimmedAt } = props
  const { ref } = useWorkspace()
  const { history } = useRouter()
  const { state } = useLocation()
  const { cursor: _, before: __, ...newest } = search
  const older = olderPage(nextCursor, trimmedAt)
  const here = { to: '/w/$ws/deliveries', params: { ws: ref } } as const
  if (older === null && isFirstPage(search)) return null
  return (
    <Group justify="space-between" component="nav" aria-label="Pages">
      <Group gap="xs">
        {!isFirstPage(search) && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconChevronsLeft size={15} />}
            renderRoot={(root) => <Link {...root} {...here} search={newest} />}
          >
            Newest
          </Button>
        )}
        {state.newerIsBack === true && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconChevronLeft size={15} />}
            onClick={() => history.back()}
          >
            Newer
          </Button>
        )}
      </Group>
      {older !== null && (
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronRight size={15} />}
          renderRoot={(root) => (
            <Link {...root} {...here} search={{ ...newest, ...older }} state={{ newerIsBack: true }} />
          )}
        >
          Older
        </Button>
      )}
    </Group>
  )
}

/** @returns `null`: there is none */
function olderPage(nextCursor: string | null, trimmedAt: string | null): Partial<DeliverySearch> | null {
  // The cursor would skip the dropped rows. Rows of the same millisecond are repeated.
  if (trimmedAt !== null) return { before: new Date(Date.parse(trimmedAt) + 1).toISOString() }
  return nextCursor === null ? null : { cursor: nextCursor }
}
