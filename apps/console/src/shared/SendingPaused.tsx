import { Alert } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { useSession } from '../api/session.ts'
import { Time } from './Time.tsx'

/** Shown on the pages of workspaces while no node can send. */
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
          Sending is paused on our side since <Time at={since} />
        </>
      }
      role="status"
    >
      Nothing is lost and nothing counts against your webhook.
    </Alert>
  )
}
