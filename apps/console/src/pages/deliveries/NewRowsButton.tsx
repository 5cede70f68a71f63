import { Button } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { DeliverySearch } from '../../model/deliverySearch.ts'
import { MAX_ROWS } from '../../model/liveRows.ts'
import { counted } from '../../model/numbers.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/**
 * Counts new rows that are not shown yet. It overlays the list, so that it does not shift the layout.
 * @param onShow `null`: this is an older page, and the new rows are on the first one
 */
export function NewRowsButton(props: {
  readonly count: number
  readonly search: DeliverySearch
  readonly onShow: (() => void) | null
}) {
  const { count, search, onShow } = props
  const { ref } = useWorkspace()
  const { cursor: _, before: __, ...newest } = search
  const text =
    count >= MAX_ROWS
      ? `${MAX_ROWS} or more new deliveries`
      : counted(count, 'new delivery', 'new deliveries')
  const look = { size: 'compact-sm', radius: 'xl', leftSection: <IconArrowUp size={14} /> } as const
  return (
    <div className="ph-new-rows" role="status">
      {count > 0 &&
        (onShow === null ? (
          <Button
            {...look}
            renderRoot={(root) => (
              <Link {...root} to="/w/$ws/deliveries" params={{ ws: ref }} search={newest} />
            )}
          >
            {text}
          </Button>
        ) : (
          <Button {...look} onClick={onShow}>
            {text}
          </Button>
        ))}
    </div>
  )
}
