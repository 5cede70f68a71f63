import { Alert } from '@mantine/core'
import { IconPlayerSkipForward } from '@tabler/icons-react'
import type { MissedEvents } from '../../../api/webhookSummaries.ts'
import { Missed } from './Missed.tsx'

/** Events that an enabled webhook missed earlier. Renders nothing if there are none. */
export function MissedNotice({ missed }: { readonly missed: MissedEvents }) {
  const { count, more, earlier } = missed
  if (count === 0 && !more && earlier === null) return null
  return (
    <Alert color="gray" variant="light" icon={<IconPlayerSkipForward size={20} />}>
      <Missed missed={missed} />
    </Alert>
  )
}
