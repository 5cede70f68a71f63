import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { capitalized } from '../../../../model/words.ts'
import { Time } from '../../../../shared/Time.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'

/** Warns before deliveries are sent to a receiver that still fails, and says how to find out whether it does. */
export function StillFailing({ since }: { readonly since: string }) {
  const { noun, canTest, resend } = useWorkspace().service.features
  const tries = [
    ...(canTest ? ['send a test'] : []),
    ...(resend === null ? [] : [`${resend.operation} one of them`]),
  ].join(' or ')
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
      This {noun} has been failing since <Time at={since} as="short" />: fix the receiver first, or these
      deliveries will fail again.{tries !== '' && ` ${capitalized(tries)} to see whether it works.`}
    </Alert>
  )
}
