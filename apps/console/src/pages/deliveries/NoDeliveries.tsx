import { Button } from '@mantine/core'
import { IconActivity, IconCircleCheck, IconClockHour4, IconSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { serverNow } from '../../api/serverNow.ts'
import { type DeliverySearch, filterOf, isFiltered } from '../../model/deliverySearch.ts'
import { failedSoFarText } from '../../model/failedSoFar.ts'
import { spanText } from '../../model/spanText.ts'
import { withArticle } from '../../model/words.ts'
import { Empty } from '../../shared/states.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { useFailedSoFar } from './useFailedSoFar.ts'

/** Empty state of the list of deliveries. */
export function NoDeliveries({
  search,
  onClear,
}: {
  readonly search: DeliverySearch
  readonly onClear: () => void
}) {
  const { ref, service, rules } = useWorkspace()
  const { noun, canTest } = service.features
  const clear = (
    <Button variant="default" onClick={onClear}>
      Clear filters
    </Button>
  )
  if (search.status === 'dead' || search.status === 'failed') {
    return <NoneFailed search={search} status={search.status} clear={clear} />
  }
  if (isFiltered(search)) {
    return (
      <Empty icon={<IconSearch size={26} />} title="Nothing matches" action={clear}>
        No delivery matches these filters. Deliveries are kept for {spanText(rules.retention_s)}.
      </Empty>
    )
  }
  return (
    <Empty
      icon={<IconActivity size={26} />}
      title="No deliveries yet"
      action={
        <Button renderRoot={(root) => <Link {...root} to={`/w/${ref}/webhooks`} />}>
          Go to your {noun}s
        </Button>
      }
    >
      Deliveries appear here within a second after an event is published.
      {canTest && ` To see one now, send a test from the page of ${withArticle(noun)}.`}
    </Empty>
  )
}

/** Empty state of the failed deliveries, with a link to pending ones that have a failed attempt. */
function NoneFailed(props: {
  readonly search: DeliverySearch
  readonly status: 'failed' | 'dead'
  readonly clear: ReactNode
}) {
  const { status, clear } = props
  const { ref } = useWorkspace()
  const search = useMemo(() => ({ ...props.search, cursor: undefined, before: undefined }), [props.search])
  const filter = useMemo(() => filterOf(search, serverNow()), [search])
  const soFar = useFailedSoFar(filter)
  const some = soFar !== null && soFar.count > 0
  return (
    <Empty
      icon={some ? <IconClockHour4 size={26} /> : <IconCircleCheck size={26} />}
      title={`No ${status} deliveries`}
      action={
        <>
          {some && (
            <Button
              renderRoot={(root) => (
                <Link
                  {...root}
                  to="/w/$ws/deliveries"
                  params={{ ws: ref }}
                  search={{ ...search, status: 'pending' as const }}
                />
              )}
            >
              Show pending deliveries
            </Button>
          )}
          {clear}
        </>
      }
    >
      {some
        ? failedSoFarText(soFar)
        : 'All matching deliveries were delivered, are pending, or were canceled.'}
    </Empty>
  )
}
