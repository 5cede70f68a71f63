import { Alert } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { useSession } from '../api/session.ts'
import { Time } from './Time.tsx'

/** Banner on workspace pages while no node can send. */
export function SendingPaused() {
  const { sending_paused_since: since } = useSession()
  if (since === null) return null
  return (
    <Alert
      color="blue"
      variant="light"
      radius={0}
      icon={<IconPlayerPause size={18} />}
      title={
        <>
          Sending has been paused on our side since <Time at={since} />
        </>
      }
      role="status"
    >
      No event is lost, and no attempt counts as a failure of your webhook.
    </Alert>
  )
}
