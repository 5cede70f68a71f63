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

/** Why there is nothing, and what would change that. */
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
        No delivery fits these filters. Deliveries are kept for {spanText(rules.retention_s)}.
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
      When an event happens that {withArticle(noun)} listens to, its delivery shows here within a second.
      {canTest && ` To see one now, send a test event from the page of ${withArticle(noun)}.`}
    </Empty>
  )
}

/** No delivery has failed for good. Those that may still arrive are pending, and that is where to look for them. */
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
      title={`Nothing is ${status}`}
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
        : 'Every delivery that these filters let through has arrived, is still on its way, or was canceled.'}
    </Empty>
  )
}
