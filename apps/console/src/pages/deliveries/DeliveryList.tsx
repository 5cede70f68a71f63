import { Alert, Box, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { lazy, Suspense, useMemo, useRef } from 'react'
import { type DeliverySearch, isFirstPage } from '../../model/deliverySearch.ts'
import { IndexedUntil } from '../../shared/IndexedUntil.tsx'
import { Failure, Loading } from '../../shared/states.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { DeliveryTable } from './DeliveryTable.tsx'
import { LiveSwitch } from './LiveSwitch.tsx'
import { NewRowsButton } from './NewRowsButton.tsx'
import { NoDeliveries } from './NoDeliveries.tsx'
import { Pager } from './Pager.tsx'
import { useReplayEach } from './replayEach/useReplayEach.ts'
import { useFollowedRows } from './useFollowedRows.ts'
import { useLiveSwitch } from './useLiveSwitch.ts'
import { useSearchedPage } from './useSearchedPage.ts'
import { useSelection } from './useSelection.ts'

const SelectionBar = lazy(async () => ({
  default: (await import('./replayEach/SelectionBar.tsx')).SelectionBar,
}))

/** One page of a list of deliveries. Set another `key` for another search. */
export function DeliveryList(props: {
  readonly search: DeliverySearch
  /** Number of manual refreshes. */
  readonly round: number
  readonly onClear: () => void
  readonly onRefresh: () => void
}) {
  const { search, round, onClear, onRefresh } = props
  const { service, mayChange } = useWorkspace()
  const page = useSearchedPage(search, round)
  const [live, setLive] = useLiveSwitch()
  const region = useRef<HTMLDivElement>(null)
  const selection = useSelection()
  const followed = useFollowedRows({ search, page, live, region, isHeld: selection.chosen.size > 0 })
  const { list, state } = followed
  const chosen = useMemo(
    () => list.rows.filter(({ id }) => selection.chosen.has(id)),
    [list.rows, selection.chosen],
  )
  const { resend } = service.features
  const canReplay = mayChange && resend?.operation === 'replay'
  const replay = useReplayEach((deliveries) => followed.onBatch({ deliveries, more: false }))
  const showNew = () => {
    followed.showWaiting()
    region.current?.focus({ preventScroll: true })
    window.scrollTo({ top: 0 })
  }
  const { query } = page
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <LiveSwitch on={live} state={state} onChange={setLive} />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          loading={query.isFetching && !page.searching}
          onClick={onRefresh}
        >
          Refresh deliveries
        </Button>
      </Group>
      <IndexedUntil until={page.indexedUntil} />
      {query.isError && <Failure error={query.error} retry={page.retry} />}
      {followed.overrun && live && isFirstPage(search) && (
        <Alert color="yellow" variant="light" py="xs">
          There are more new deliveries than this page can show, so some rows are missing. To see all, turn
          off Live and refresh, or use filters.
        </Alert>
      )}
      <Box
        ref={region}
        tabIndex={-1}
        style={{ outline: 'none' }}
        pos="relative"
        aria-label="List"
        role="region"
      >
        <NewRowsButton
          count={list.waiting.length}
          search={search}
          onShow={isFirstPage(search) ? showNew : null}
        />
        {query.isPending && <Loading rows={8} />}
        {list.rows.length > 0 && (
          <DeliveryTable
            rows={list.rows}
            withWebhook={search.webhook === undefined}
            selection={canReplay ? selection : null}
            onReplay={replay.runOne}
          />
        )}
        {!query.isPending &&
          !query.isError &&
          list.rows.length === 0 &&
          !page.searching &&
          page.searchOn === null && <NoDeliveries search={search} onClear={onClear} />}
      </Box>
      {page.searching && query.isSuccess && (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Text size="sm">Searching older deliveries…</Text>
        </Group>
      )}
      {page.searchOn !== null && (
        <Group gap="sm">
          <Text size="sm">
            {list.rows.length === 0 ? 'No matches so far.' : 'No more matches so far.'} Older deliveries have
            not been searched.
          </Text>
          <Button size="compact-sm" variant="default" onClick={page.searchOn}>
            Search older deliveries
          </Button>
        </Group>
      )}
      {(chosen.length > 0 || replay.state !== null) && (
        <Suspense>
          <SelectionBar chosen={chosen} replay={replay} onClear={selection.clear} />
        </Suspense>
      )}
      <Pager
        search={search}
        nextCursor={page.searching || page.searchOn !== null ? null : page.nextCursor}
        trimmedAt={list.trimmed ? (list.rows.at(-1)?.createdAt ?? null) : null}
      />
    </Stack>
  )
}
