import { Button } from '@mantine/core'
import { IconSearchOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { capitalized } from '../../../model/words.ts'
import { Empty } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Shown instead of a webhook that does not exist or no longer does. */
export function WebhookNotFound() {
  const { ref, service } = useWorkspace()
  const { noun } = service.features
  return (
    <Empty
      icon={<IconSearchOff size={26} />}
      title={`${capitalized(noun)} not found`}
      action={
        <Button component={Link} to={`/w/${ref}/webhooks`}>
          Show all {noun}s
        </Button>
      }
    >
      There is no such {noun} in this workspace. It may have been deleted.
    </Empty>
  )
}
