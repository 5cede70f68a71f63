import { Button } from '@mantine/core'
import { IconActivity, IconCircleCheck, IconSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type DeliverySearch, isFiltered } from '../../model/deliverySearch.ts'
import { spanText } from '../../model/spanText.ts'
import { withArticle } from '../../model/words.ts'
import { Empty } from '../../shared/states.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'

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
    return (
      <Empty icon={<IconCircleCheck size={26} />} title={`Nothing is ${search.status}`} action={clear}>
        Every delivery that these filters let through has arrived, is still on its way, or was canceled.
      </Empty>
    )
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
