import { Badge } from '@mantine/core'
import { IconCircleDashed } from '@tabler/icons-react'
import { counted } from '../../model/numbers.ts'
import type { Features } from '../../model/service.ts'

/** Number of webhooks that are subscribed to an event type. */
export function TakersBadge({ count, noun }: { readonly count: number; readonly noun: Features['noun'] }) {
  if (count === 0) {
    return (
      <Badge color="gray" tt="none" leftSection={<IconCircleDashed size={13} />}>
        no {noun}
      </Badge>
    )
  }
  return (
    <Badge color="gray" tt="none">
      {counted(count, noun)}
    </Badge>
  )
}
