import { Button, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react'
import { Link, useLocation, useRouter } from '@tanstack/react-router'
import { type DeliverySearch, isFirstPage } from '../../model/deliverySearch.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page before this one in the history is the next newer one of the same list. */
    readonly newerIsBack?: boolean
  }
}

/** Leads to older and newer pages of a list. @param trimmedAt when the last row was made, where rows below it were let go */
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
  // Rows were let go below the last one, so the cursor would leave them out. Those of its very millisecond come again.
  if (trimmedAt !== null) return { before: new Date(Date.parse(trimmedAt) + 1).toISOString() }
  return nextCursor === null ? null : { cursor: nextCursor }
}
